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

/* What a request is compared with before it goes out (http.h). */
struct pg_allowed {
  const char *const *addresses; /* by endpoint, as they were configured; "" for none */
  int count;
  int allow_http; /* 1: plain http to other machines, too */
};

/* The caller's until pg_http_close. */
struct pg_http_settings {
  const char *user_agent;
  struct pg_connection *connection; /* used by nothing else meanwhile */
  const void *trust;                /* for picogrant-port.h */
  int connect_seconds;
  int exchange_seconds;
  uint32_t response_bytes; /* longest body of an answer */
  struct pg_allowed allowed;
  struct pg_wall_clock *clock; /* by which the port's TLS judges certificates; NULL: the machine knows the time */
  int keeps_connection; /* as struct pg_host_parts has it */
};

/* What may not stand in an address, where others read it: proxies, logs (RFC 6750 section 5.3). */
struct pg_secret {
  const uint8_t *bytes;
  size_t size;
};

/* Lent until the exchange ends: nothing is copied. */
struct pg_http_request {
  int is_get;
  int endpoint;          /* PG_ENDPOINT_*: it goes to the allowed address of that one */
  const char *address;   /* http:// or https://, host, and what may follow; no fragment, no user */
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
 * Where an exchange reports, from within pg_http_work only: status, body any number of times, end; or
 * failed. `context` is pg_http_open's.
 */
struct pg_http_sink {
  void (*status)(void *context, int status, int retry_after_s);
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  void (*end)(void *context);
  void (*failed)(void *context);
  void (*challenge)(void *context, uint8_t c); /* ahead of the status, as in http-response.h; or NULL */
};

/* The most that one character of a form becomes in JSON: \u0000. */
enum { PG_JSON_BODY_STEP = 6 };

/* A form (RFC 6749 appendix B) that is sent as a JSON object of texts, piece by piece: no second body needs room. */
struct pg_json_body {
  const uint8_t *form; /* lent: `name=value` joined by '&', percent-encoded */
  size_t size;
  size_t at;
  int is_begun;
  int is_done;
};

/* Begins at the first parameter; a form has one at least. */
void pg_json_body_start(struct pg_json_body *body, const uint8_t *form, size_t size);

/*
 * Writes as much of the object to `piece` as fits; `size` is PG_JSON_BODY_STEP or more.
 * @return how many bytes; 0 once all of it has been given out
 */
size_t pg_json_body_next(struct pg_json_body *body, uint8_t *piece, size_t size);

size_t pg_json_body_size(const uint8_t *form, size_t size);

struct pg_http_part {
  const uint8_t *bytes;
  size_t size;
};

/* PG_HTTP_QUESTION: those that ask for the time, ahead of the request's own. */
enum { PG_HTTP_PARTS = 27, PG_HTTP_QUESTION = 3, PG_HTTP_LENGTH = 11, PG_HTTP_PIECE = 64 };

/* The caller's; begins as zeros. The fields are http.c's own. */
struct pg_http {
  const struct pg_http_settings *settings;
  const struct pg_http_sink *sink;
  void *context;
  int phase;
  uint32_t began_ms; /* the exchange, or the rest of the connection that is kept */
  int endpoint;      /* whose server the connection goes to */
  int keep_s;        /* how long it may rest */
  struct pg_peer peer;
  uint8_t question;      /* whether the server is asked for the time before the request */
  uint8_t is_from_issuer; /* the answer: what it says of the time may be kept */
  /* The request, in the order in which it goes out, and how far it is. */
  struct pg_http_part parts[PG_HTTP_PARTS];
  int part_count;
  int part;
  size_t part_at;
  /* Behind the parts, piece by piece: a form that goes out as JSON. */
  struct pg_json_body json;
  uint8_t piece[PG_HTTP_PIECE];
  int reason; /* why the last exchange failed */
  char length[PG_HTTP_LENGTH];
  struct pg_http_response response;
};

/*
 * Prepares for exchanges, and ends a connection that was kept. What is pointed to stays where it is until pg_http_close.
 * Between two exchanges it may be opened for another use: why the last one failed is kept.
 */
void pg_http_open(struct pg_http *http, const struct pg_http_settings *settings,
                  const struct pg_http_sink *sink, void *context);

/* Ends what is under way, and a connection that is kept. */
void pg_http_close(struct pg_http *http);

/*
 * Starts an exchange; one that is under way is ended. Where the certificate was judged at a guessed time (wall-clock.h),
 * the server is first asked for its Date: HEAD of its origin, with nothing of the request, on a connection of its own.
 * @return 1, or 0 where it cannot be started, and nothing will be reported: the address is none, a byte of
 *   target or credentials may not be in a head, or the last look refuses it (http.h)
 */
int pg_http_send(struct pg_http *http, const struct pg_http_request *request);

/* Ends the exchange under way, if any; nothing more of it is reported. */
void pg_http_abort(struct pg_http *http);

/*
 * Why there is no answer: of the exchange under way what its connection waits for, else of the last one that failed.
 * PG_REASON_*; PG_REASON_NONE once one has been answered.
 */
int pg_http_reason(const struct pg_http *http);

/*
 * Moves the exchange on as far as it goes without waiting, and reports. Between two exchanges it gives up a connection that
 * was kept and has ended, or rested for too long.
 */
void pg_http_work(struct pg_http *http);

/* Milliseconds until the exchange has taken too long; -1 without an exchange. */
int pg_http_wake_in(const struct pg_http *http);

/*
 * Whether a request may go out. http.c opens no connection without it.
 * @param sent where it is about to go: what the connection and the Host line are made of
 * @return 1, or 0: for another scheme, host or port than the address of the request's endpoint has in the settings
 *   (RFC 6454); over plain http to another machine, unless that is allowed; a bearer to any but a resource server
 *   (RFC 6750 section 5.3), the client's credentials to any but the authorization server; or with a secret in the
 *   address, where others read it
 */
int pg_leak_guard(const struct pg_http_request *request, const struct pg_address *sent,
                 const struct pg_allowed *allowed);

/* Whether scheme and authority are those of an address of the settings, which has nothing else before its path. */
int pg_is_origin(const struct pg_address *sent, const char *allowed);

#ifdef __cplusplus
}
#endif

#endif
