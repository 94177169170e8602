/*
 * HTTP(S): one exchange at a time, reported piece by piece. http-curl.c does it with libcurl's multi
 * interface; a firmware puts its own TLS stack behind it. Certificates and host names are checked,
 * redirects are not followed, nothing is sent twice, and no target, header or body is ever logged.
 */
#ifndef PICOGRANT_HTTP_H
#define PICOGRANT_HTTP_H

#include <stddef.h>
#include <stdint.h>

/* Longest address with target; a token in the query of a revocation is the longest there is. */
enum { PG_URL_BYTES = 4096, PG_AUTHORIZATION_BYTES = 8192 };

struct pg_http_settings {
  const char *certificates; /* file of trusted certificates in PEM, or "" for the system's */
  const char *user_agent;
  long connect_seconds;
  long exchange_seconds;
  size_t answer_bytes; /* longest answer */
};

/* Lent until the exchange ends; only `address` and `target` are copied. */
struct pg_http_request {
  int is_get;
  const char *address;
  const uint8_t *target; /* what follows the address */
  size_t target_size;
  const char *content_type; /* of a POST */
  const uint8_t *bearer;    /* token, or NULL */
  size_t bearer_size;
  const uint8_t *body;
  size_t body_size;
};

/* Where an exchange reports, from within pg_http_work only: status, body any number of times, end; or failed. */
struct pg_http_sink {
  void (*status)(int status, int retry_after_s);
  void (*body)(const uint8_t *bytes, size_t size);
  void (*end)(void);
  void (*failed)(void);
};

/* Both are the caller's until pg_http_close. Returns NULL, or what is wrong. */
const char *pg_http_open(const struct pg_http_settings *settings, const struct pg_http_sink *sink);

void pg_http_close(void);

/* Starts an exchange. 0: it cannot be started, and nothing will be reported. */
int pg_http_send(const struct pg_http_request *request);

/* Ends the exchange under way, if any; nothing more of it is reported. */
void pg_http_abort(void);

/* Sleeps until the network, one of `count` (at most 2) file descriptors, or the time needs attention. */
void pg_http_wait(int timeout_ms, const int *descriptors, int count);

/* Moves the exchange on as far as it goes without waiting, and reports. */
void pg_http_work(void);

#endif
