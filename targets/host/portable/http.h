/*
 * HTTP and HTTPS for every port, on top of the connections of picogrant-port.h. This layer writes the request, parses
 * the response (http-response.h) and enforces time limits. It follows no redirects, and logs no target, header or body.
 * Each struct pg_http has one exchange at a time.
 *
 * If connections stay open (`keeps_connection`), the next exchange with the same server uses the open one. If that
 * exchange ends without a response, it has failed and is not repeated, because the server may have processed it.
 */
#ifndef PICOGRANT_HTTP_H
#define PICOGRANT_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "address.h"
#include "http-response.h"
#include "wall-clock.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The settings that pg_leak_guard compares with a request. */
struct pg_allowed {
  const char *const *addresses; /* the configured addresses by endpoint; "" for none */
  int count;
  int allow_http; /* 1: plain http to other machines is allowed */
};

struct pg_http_request;

/* The settings of a `struct pg_http`. They must stay in place until pg_http_close. */
struct pg_http_settings {
  const char *user_agent;
  struct pg_connection *connection; /* a connection that no other exchange uses */
  const void *trust;                /* the trusted authorities, in the port's format */
  int connect_seconds;     /* time limit for connecting */
  int exchange_seconds;    /* time limit of an exchange, including connecting */
  uint32_t response_bytes; /* limit of a response's body */
  struct pg_allowed allowed;
  struct pg_wall_clock *clock; /* the time for checking certificates; NULL: the machine has a reliable clock */
  int keeps_connection; /* 1: connections stay open for the next exchange (struct pg_host_parts) */
#ifdef PG_KEYS
  /* Adds the signed parts, which contain the time, to a copy of a request directly before it is sent. Gets `signing`.
   * Returns PG_REASON_NONE, or the reason why the request cannot be sent. NULL: no request is signed. */
  int (*complete)(void *signing, struct pg_http_request *request, int is_repeated);
  void *signing;
#endif
};

/* A value that must not be in an address, because proxies and logs can read addresses (RFC 6750 section 5.3). */
struct pg_secret {
  const uint8_t *bytes;
  size_t size;
};

/* A request. The bytes to which it points are not copied, and must stay in place until the exchange ends. Only
 * pg_http_send reads the struct itself and `secrets`. */
struct pg_http_request {
  int is_get;
  int endpoint;          /* PG_ENDPOINT_*; the request may go only to the origin of this endpoint's address */
  const char *address;   /* scheme http or https, host, optional port, path and query; no fragment, no user */
  const uint8_t *target; /* path and query that are appended to the address */
  size_t target_size;
  const char *headers;        /* additional lines, each ended by CR LF; or NULL */
  const char *content_type;   /* media type of a POST's body, unless `is_json` is 1 */
  const char *authorization;  /* scheme of the header: "Bearer ", "Basic ", or NULL for none */
  const uint8_t *credentials; /* bytes that are appended to `authorization` */
  size_t credentials_size;
  const uint8_t *body;
  size_t body_size;
  int is_json;                     /* 1: `body` is a form, and is sent as JSON */
  const struct pg_secret *secrets; /* used only during pg_http_send */
  int secret_count;
#ifdef PG_KEYS
  const char *proof;     /* a header line, or NULL (keys.h) */
  const char *assertion; /* parameters that are appended to the body, or NULL (keys.h) */
#endif
};

/* Receives the response: `status`, then `body` any number of times, then `end`. If the response is not complete,
 * `failed` replaces the calls that are missing. Only pg_http_work calls these functions, with the `context` of
 * pg_http_open. */
struct pg_http_sink {
  void (*status)(void *context, int status, int retry_after_s);
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  void (*end)(void *context);
  void (*failed)(void *context);
  void (*challenge)(void *context, uint8_t c); /* called before the status, as in http-response.h; or NULL */
#ifdef PG_KEYS
  void (*nonce)(void *context, uint8_t c); /* called for DPoP-Nonce in the same way as `challenge`; or NULL */
#endif
};

/* The most bytes of JSON for one character of a form: an escape such as \u0001. */
enum { PG_JSON_BODY_STEP = 6 };

/* Converts a form (RFC 6749 appendix B) to a JSON object of strings, piece by piece, without a second buffer. */
struct pg_json_body {
  const uint8_t *form; /* the caller's form: `name=value` joined by '&', percent-encoded */
  size_t size;
  size_t at;
  int is_begun;
  int is_done;
};

/* Starts to convert a form, which must have at least one parameter. */
void pg_json_body_start(struct pg_json_body *body, const uint8_t *form, size_t size);

/* Writes the next part of the object to `piece`, as much as fits; `size` is at least PG_JSON_BODY_STEP.
 * @return the number of bytes; 0 at the end */
size_t pg_json_body_next(struct pg_json_body *body, uint8_t *piece, size_t size);

/* Returns the size of the whole object, for Content-Length. */
size_t pg_json_body_size(const uint8_t *form, size_t size);

struct pg_http_part {
  const uint8_t *bytes;
  size_t size;
};

/* PG_HTTP_PARTS is the capacity for the parts of a request. The first PG_HTTP_QUESTION of them are the request for the
 * server's time, and the others are the actual request. */
#ifdef PG_KEYS
enum { PG_HTTP_PARTS = 29 };
#else
enum { PG_HTTP_PARTS = 27 };
#endif
enum { PG_HTTP_QUESTION = 3, PG_HTTP_LENGTH = 11, PG_HTTP_PIECE = 64 };

/* The state of a device's exchanges. The caller owns it; it starts as zeros. Only http.c and keys.c use the fields. */
struct pg_http {
  const struct pg_http_settings *settings;
  const struct pg_http_sink *sink;
  void *context;
  int phase;
  uint32_t began_ms; /* when connecting or reusing began; between exchanges: when the connection became idle */
  int endpoint;      /* the connection goes to the server of this endpoint */
  int keep_s;        /* how long the connection may be idle */
  struct pg_peer peer;
  uint8_t question;      /* the state of the request for the server's time */
  uint8_t is_from_issuer; /* 1: the response is from the authorization server; its time may be stored */
  /* The parts of the request in the order in which they are sent, and the current position. */
  struct pg_http_part parts[PG_HTTP_PARTS];
  int part_count;
  int part;
  size_t part_at;
  /* The form that is sent as JSON after the parts. */
  struct pg_json_body json;
  uint8_t piece[PG_HTTP_PIECE];
  int reason; /* why the last exchange failed (PG_REASON_*) */
  char length[PG_HTTP_LENGTH];
  struct pg_http_response response;
#ifdef PG_KEYS
  struct pg_http_request request; /* the current request, without its secrets */
  int is_repeated;
#endif
};

/* Prepares for exchanges. Aborts the current exchange, and closes an idle connection. Everything that the parameters
 * point to must stay in place until pg_http_close. Between two exchanges, you may open `http` for another use. The
 * reason of the last failure stays. */
void pg_http_open(struct pg_http *http, const struct pg_http_settings *settings,
                  const struct pg_http_sink *sink, void *context);

/* Aborts the current exchange, and closes an idle connection. */
void pg_http_close(struct pg_http *http);

/* Starts an exchange, and aborts the current one. If the server's certificate can only be checked at a guessed time
 * (wall-clock.h), the exchange first requests the server's Date: it sends a HEAD for the server's root, without
 * anything of the actual request, on a connection of its own.
 * @return 1, or 0 if the exchange cannot start: the address is invalid, target or credentials have a byte other than
 * visible ASCII, the leak guard refuses the request, or the port cannot connect. The sink then gets no report */
int pg_http_send(struct pg_http *http, const struct pg_http_request *request);

#ifdef PG_KEYS
/* Sends the request again. Only the sink's `end` may call this function. Returns the same as pg_http_send. */
int pg_http_repeat(struct pg_http *http);
#endif

/* Aborts the current exchange, if any. Nothing more of it is reported. */
void pg_http_abort(struct pg_http *http);

/* Returns what the current exchange waits for, or why the last one failed (PG_REASON_*); NONE after a response. */
int pg_http_reason(const struct pg_http *http);

/* Advances the exchange as far as possible without waiting, and reports to the sink. Between exchanges, closes a
 * connection that has ended or was idle for too long. */
void pg_http_work(struct pg_http *http);

/* Returns the milliseconds until the exchange times out, 0 if it can continue at once, -1 without an exchange. */
int pg_http_wake_in(const struct pg_http *http);

/*
 * Whether a request may be sent. http.c opens no connection without this check.
 * @param sent the split address, which determines the connection and the Host line
 * @return 1, or 0 if the request must not be sent:
 *   the connection or the Host line differs from the configured address of the request's endpoint (RFC 6454);
 *   it uses plain http to another machine, and `allow_http` is 0;
 *   a bearer token goes to anything but a resource server (RFC 6750 section 5.3);
 *   the client's credentials go to anything but the authorization server;
 *   a secret of at least 16 bytes is in the target, where others can read it
 */
int pg_leak_guard(const struct pg_http_request *request, const struct pg_address *sent,
                 const struct pg_allowed *allowed);

/* Whether `sent` has the scheme and the authority of a configured address. */
int pg_is_origin(const struct pg_address *sent, const char *allowed);

#ifdef __cplusplus
}
#endif

#endif
