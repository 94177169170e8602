/*
 * HTTP(S) for every port, on top of picogrant-port.h. Writes the request, parses the response (http-response.h) and
 * enforces time limits. Each struct pg_http has one exchange at a time. It follows no redirects, sends nothing twice,
 * and logs no target, header or body. If the port keeps connections, the next exchange with the same server uses the
 * last one, within the server's limit. An exchange on it that ends without a response has failed.
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

/* The settings with which a request is compared (pg_leak_guard). */
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
  const void *trust;                /* passed to picogrant-port.h */
  int connect_seconds;
  int exchange_seconds;
  uint32_t response_bytes; /* limit of a response's body */
  struct pg_allowed allowed;
  struct pg_wall_clock *clock; /* the time for checking certificates; NULL: the machine has a reliable clock */
  int keeps_connection; /* 1: connections stay open, as in struct pg_host_parts */
#ifdef PG_KEYS
  /*
   * Completes a copy of the request directly before it is sent, when the time is known. Returns PG_REASON_NONE, or why the
   * request cannot be sent. May be NULL. Gets `signing`.
   */
  int (*complete)(void *signing, struct pg_http_request *request, int is_repeated);
  void *signing;
#endif
};

/* A value that must not be in an address, because proxies and logs can read addresses (RFC 6750 section 5.3). */
struct pg_secret {
  const uint8_t *bytes;
  size_t size;
};

/* A request. It must stay in place until the exchange ends, because nothing is copied. */
struct pg_http_request {
  int is_get;
  int endpoint;          /* PG_ENDPOINT_*: its configured address is the only one allowed */
  const char *address;   /* scheme http or https, host, optional port, path and query; no fragment, no user */
  const uint8_t *target; /* path and query that are appended to the address */
  size_t target_size;
  const char *headers;        /* additional lines, each ended by CR LF; or NULL */
  const char *content_type;   /* media type of a POST's body */
  const char *authorization;  /* "Bearer ", "Basic ", or NULL for none */
  const uint8_t *credentials; /* bytes that are appended to `authorization` */
  size_t credentials_size;
  const uint8_t *body;
  size_t body_size;
  int is_json;                     /* the body is a form, and is sent as JSON */
  const struct pg_secret *secrets; /* secrets, which are read only during pg_http_send */
  int secret_count;
#ifdef PG_KEYS
  const char *proof;     /* a header line, or NULL; `assertion`: parameters after the body, or NULL (keys.h) */
  const char *assertion;
#endif
};

/*
 * Receives an exchange: status, body any number of times, and end; or failed. Only pg_http_work calls these functions,
 * with the `context` of pg_http_open.
 */
struct pg_http_sink {
  void (*status)(void *context, int status, int retry_after_s);
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  void (*end)(void *context);
  void (*failed)(void *context);
  void (*challenge)(void *context, uint8_t c); /* called before the status, as in http-response.h; or NULL */
#ifdef PG_KEYS
  void (*nonce)(void *context, uint8_t c); /* called for DPoP-Nonce, as `challenge` is; or NULL */
#endif
};

/* The longest JSON for one character of a form is \u0000. */
enum { PG_JSON_BODY_STEP = 6 };

/* A form (RFC 6749 appendix B) that is sent as a JSON object of strings, piece by piece, without a second buffer. */
struct pg_json_body {
  const uint8_t *form; /* the caller's form: `name=value` joined by '&', percent-encoded */
  size_t size;
  size_t at;
  int is_begun;
  int is_done;
};

/* Starts the JSON at the first parameter of the form. A form has at least one. */
void pg_json_body_start(struct pg_json_body *body, const uint8_t *form, size_t size);

/*
 * Writes as much of the object to `piece` as fits; `size` is at least PG_JSON_BODY_STEP.
 * @return the number of bytes; 0 at the end
 */
size_t pg_json_body_next(struct pg_json_body *body, uint8_t *piece, size_t size);

size_t pg_json_body_size(const uint8_t *form, size_t size);

struct pg_http_part {
  const uint8_t *bytes;
  size_t size;
};

/* PG_HTTP_QUESTION is the number of parts of the time request. They come before the actual request. */
#ifdef PG_KEYS
enum { PG_HTTP_PARTS = 29 };
#else
enum { PG_HTTP_PARTS = 27 };
#endif
enum { PG_HTTP_QUESTION = 3, PG_HTTP_LENGTH = 11, PG_HTTP_PIECE = 64 };

/* The state of a device's exchanges. The caller owns it, and it starts as zeros. Only http.c uses the fields. */
struct pg_http {
  const struct pg_http_settings *settings;
  const struct pg_http_sink *sink;
  void *context;
  int phase;
  uint32_t began_ms; /* the start of the exchange, or of the connection's idle time */
  int endpoint;      /* the connection goes to the server of this endpoint */
  int keep_s;        /* how long the connection may be idle */
  struct pg_peer peer;
  uint8_t question;      /* whether to request the server's time first */
  uint8_t is_from_issuer; /* whether the time in the response may be stored */
  /* The request in the order in which it is sent, and the current position. */
  struct pg_http_part parts[PG_HTTP_PARTS];
  int part_count;
  int part;
  size_t part_at;
  /* A form to be sent as JSON, after the parts. */
  struct pg_json_body json;
  uint8_t piece[PG_HTTP_PIECE];
  int reason; /* the reason why the last exchange failed */
  char length[PG_HTTP_LENGTH];
  struct pg_http_response response;
#ifdef PG_KEYS
  struct pg_http_request request; /* the current request, without its secrets */
  int is_repeated;
#endif
};

/*
 * Prepares for exchanges, and closes an idle connection. Everything that the parameters point to must stay in place until
 * pg_http_close. Between two exchanges, you may open `http` for another use. The reason of the last failure stays.
 */
void pg_http_open(struct pg_http *http, const struct pg_http_settings *settings,
                  const struct pg_http_sink *sink, void *context);

/* Aborts the current exchange, and closes an idle connection. */
void pg_http_close(struct pg_http *http);

/*
 * Starts an exchange, and aborts the current one. If the certificate was checked at a guessed time (wall-clock.h), it
 * first requests the server's Date: HEAD of its origin, without anything of the actual request, on a separate
 * connection.
 * @return 1, or 0 if it cannot start, and then nothing is reported: the address is invalid, a byte of target or
 * credentials must not be in a head, or the leak guard refuses the request
 */
int pg_http_send(struct pg_http *http, const struct pg_http_request *request);

#ifdef PG_KEYS
/* Sends the request again. Only the sink's `end` may call it. Returns 1, or 0 as pg_http_send does. */
int pg_http_repeat(struct pg_http *http);
#endif

/* Aborts the current exchange, if any. Nothing more of it is reported. */
void pg_http_abort(struct pg_http *http);

/*
 * Why there is no response: what the current exchange waits for, or why the last one failed. PG_REASON_NONE after a
 * response.
 */
int pg_http_reason(const struct pg_http *http);

/*
 * Advances the exchange as far as possible without waiting, and reports. Between exchanges it closes a connection that
 * has ended or was idle for too long.
 */
void pg_http_work(struct pg_http *http);

/* Milliseconds until the exchange times out; -1 without an exchange. */
int pg_http_wake_in(const struct pg_http *http);

/*
 * Whether a request may be sent. http.c opens no connection without this check.
 * @param sent where it will be sent: the source of the connection and of the Host line
 * @return 1, or 0 if the request must not be sent:
 *   scheme, host or port differ from the configured address of its endpoint (RFC 6454);
 *   it uses plain http to another machine, which is not allowed;
 *   a bearer token goes to anything but a resource server (RFC 6750 section 5.3);
 *   the client's credentials go to anything but the authorization server;
 *   a secret is in the address, where others can read it
 */
int pg_leak_guard(const struct pg_http_request *request, const struct pg_address *sent,
                 const struct pg_allowed *allowed);

/* Whether scheme and authority are those of a configured address. */
int pg_is_origin(const struct pg_address *sent, const char *allowed);

#ifdef __cplusplus
}
#endif

#endif
