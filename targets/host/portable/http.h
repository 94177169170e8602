/*
 * HTTP(S) for every port, over picogrant-port.h: writes the request, reads the response (http-response.h) and limits the
 * time. One exchange at a time for each struct pg_http. Redirects are not followed, nothing is sent twice, and no target,
 * header or body is logged. If the port keeps connections, the next exchange with the same server uses the last one
 * within the server's limit; an exchange on it that ends without a response has failed.
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

/* The settings that a request is checked against (http.h). */
struct pg_allowed {
  const char *const *addresses; /* by endpoint, as they were configured; "" for none */
  int count;
  int allow_http; /* 1: plain http to other machines, too */
};

/* The caller's until pg_http_close. */
struct pg_http_settings {
  const char *user_agent;
  struct pg_connection *connection; /* for this exchange only */
  const void *trust;                /* for picogrant-port.h */
  int connect_seconds;
  int exchange_seconds;
  uint32_t response_bytes; /* longest body of a response */
  struct pg_allowed allowed;
  struct pg_wall_clock *clock; /* by which the port's TLS judges certificates; NULL: the machine knows the time */
  int keeps_connection; /* as struct pg_host_parts has it */
};

/* A value that must not be in an address, where proxies and logs can read it (RFC 6750 section 5.3). */
struct pg_secret {
  const uint8_t *bytes;
  size_t size;
};

/* Must stay in place until the exchange ends: nothing is copied. */
struct pg_http_request {
  int is_get;
  int endpoint;          /* PG_ENDPOINT_*: it goes to the allowed address of that one */
  const char *address;   /* http:// or https://, host, optionally port, path and query; no fragment, no user */
  const uint8_t *target; /* what follows the address */
  size_t target_size;
  const char *headers;        /* further lines, each ended by CR LF; or NULL */
  const char *content_type;   /* of a POST */
  const char *authorization;  /* "Bearer ", "Basic ", or NULL for none */
  const uint8_t *credentials; /* what follows it */
  size_t credentials_size;
  const uint8_t *body;
  size_t body_size;
  int is_json;                     /* the body is a form, and goes out as JSON (http.h) */
  const struct pg_secret *secrets; /* read during pg_http_send only */
  int secret_count;
};

/*
 * The recipient of an exchange, from within pg_http_work only: status, body any number of times, end; or failed.
 * `context` is that of pg_http_open.
 */
struct pg_http_sink {
  void (*status)(void *context, int status, int retry_after_s);
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  void (*end)(void *context);
  void (*failed)(void *context);
  void (*challenge)(void *context, uint8_t c); /* ahead of the status, as in http-response.h; or NULL */
};

/* The longest JSON for one character of a form: \u0000. */
enum { PG_JSON_BODY_STEP = 6 };

/* A form (RFC 6749 appendix B) that is sent as a JSON object of strings, piece by piece, without a second buffer. */
struct pg_json_body {
  const uint8_t *form; /* lent: `name=value` joined by '&', percent-encoded */
  size_t size;
  size_t at;
  int is_begun;
  int is_done;
};

/* Starts at the first parameter; a form has at least one. */
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

/* PG_HTTP_QUESTION: the parts of the time question, before the request's own. */
enum { PG_HTTP_PARTS = 27, PG_HTTP_QUESTION = 3, PG_HTTP_LENGTH = 11, PG_HTTP_PIECE = 64 };

/* The caller's; begins as zeros. The fields are http.c's own. */
struct pg_http {
  const struct pg_http_settings *settings;
  const struct pg_http_sink *sink;
  void *context;
  int phase;
  uint32_t began_ms; /* start of the exchange, or of the connection's idle time */
  int endpoint;      /* whose server the connection goes to */
  int keep_s;        /* how long it may rest */
  struct pg_peer peer;
  uint8_t question;      /* whether to request the server's time first */
  uint8_t is_from_issuer; /* the response: its time may be stored */
  /* The request in the order in which it is sent, and how much has been sent. */
  struct pg_http_part parts[PG_HTTP_PARTS];
  int part_count;
  int part;
  size_t part_at;
  /* After the parts, piece by piece: a form that is sent as JSON. */
  struct pg_json_body json;
  uint8_t piece[PG_HTTP_PIECE];
  int reason; /* why the last exchange failed */
  char length[PG_HTTP_LENGTH];
  struct pg_http_response response;
};

/*
 * Prepares for exchanges, and closes an idle connection. Everything pointed to must stay in place until pg_http_close.
 * Between two exchanges it may be opened for another use: the reason of the last failure stays.
 */
void pg_http_open(struct pg_http *http, const struct pg_http_settings *settings,
                  const struct pg_http_sink *sink, void *context);

/* Ends the current exchange, and closes an idle connection. */
void pg_http_close(struct pg_http *http);

/*
 * Starts an exchange, and ends the current one. If the certificate was judged at a guessed time (wall-clock.h), it
 * first asks the server for its Date: HEAD of its origin, without anything of the request, on a separate connection.
 * @return 1, or 0 if it cannot start, and nothing will be reported: the address is invalid, a byte of target or
 * credentials must not be in a head, or the leak guard refuses it (http.h)
 */
int pg_http_send(struct pg_http *http, const struct pg_http_request *request);

/* Ends the current exchange, if any; nothing more of it is reported. */
void pg_http_abort(struct pg_http *http);

/*
 * Why there is no response: what the current exchange waits for, or why the last one failed. PG_REASON_*;
 * PG_REASON_NONE after a response.
 */
int pg_http_reason(const struct pg_http *http);

/*
 * Advances the exchange as far as possible without waiting, and reports. Between exchanges it closes an idle connection
 * that has ended, or has been idle for too long.
 */
void pg_http_work(struct pg_http *http);

/* Milliseconds until the exchange times out; -1 without an exchange. */
int pg_http_wake_in(const struct pg_http *http);

/*
 * Whether a request may be sent. http.c opens no connection without it.
 * @param sent where it will be sent: the source of the connection and of the Host line
 * @return 1, or 0: for another scheme, host or port than the configured address of the request's endpoint (RFC 6454);
 * over plain http to another machine, unless that is allowed; a bearer token to anything but a resource server (RFC
 * 6750 section 5.3), the client's credentials to anything but the authorization server; or with a secret in the
 * address, where others can read it
 */
int pg_leak_guard(const struct pg_http_request *request, const struct pg_address *sent,
                 const struct pg_allowed *allowed);

/* Whether scheme and authority are those of a configured address, which has nothing else before its path. */
int pg_is_origin(const struct pg_address *sent, const char *allowed);

#ifdef __cplusplus
}
#endif

#endif
