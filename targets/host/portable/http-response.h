/*
 * Parses one HTTP/1.x response in pieces of any size (RFC 9112): the status, the few relevant headers, and the body.
 * The body may have a length, come in chunks, or end with the connection. The parser neither waits nor allocates.
 *
 * It refuses responses that are incomplete, or that another program could understand differently. Such responses have
 * two different lengths, a length and chunks (RFC 9112 §6.3), a transfer coding other than `chunked`, or a body with a
 * content coding. Or a header has no colon, or a space before the colon (§5.1). Or a head has a NUL byte, or a CR
 * without an LF (§2.2). It also refuses a body above the given limit, and heads of more than PG_HTTP_RESPONSE_HEAD_MAX
 * bytes. It accepts LF alone as the end of a line (§2.2), folded headers (§5.2), interim responses except 101 (RFC 9110
 * §15.2), chunk extensions and trailers. It ignores the content of extensions and trailers.
 */
#ifndef PICOGRANT_HTTP_RESPONSE_H
#define PICOGRANT_HTTP_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* PG_HTTP_RESPONSE_HEAD_MAX: the most bytes in all heads of a response together, including interim responses, chunk
 * sizes and trailers. PG_HTTP_RESPONSE_LINE: the buffer size for the name or the value of a header. */
enum { PG_HTTP_RESPONSE_HEAD_MAX = 65536, PG_HTTP_RESPONSE_LINE = 64 };

enum pg_http_response_result {
  PG_HTTP_RESPONSE_MORE = 0, /* the response is not complete, and not refused */
  PG_HTTP_RESPONSE_END = 1,  /* the response is complete; bytes after it are not read */
  PG_HTTP_RESPONSE_INVALID = 2   /* the response is refused; nothing more is reported */
};

/* Receives the response. Only pg_http_response_read calls these functions, with the `context` of the start. */
struct pg_http_response_sink {
  /* Called once, before the body, with a status of 200..599 (599 for a larger one) and the result of pg_retry_after. */
  void (*status)(void *context, int status, int retry_after_s);
  /* Called any number of times, with `size` at least 1. The bytes are valid during the call. */
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  /* For a 401, called before `status`: gets WWW-Authenticate (RFC 9110 section 11.6.1) byte by byte, with a line feed
   * after each value. May be NULL. */
  void (*challenge)(void *context, uint8_t c);
#ifdef PG_KEYS
  void (*nonce)(void *context, uint8_t c); /* called in the same way for DPoP-Nonce (RFC 9449 §8), with any status */
#endif
};

/* Only http-response.c changes the fields, except that http.c sets `reason` if the connection breaks. Others may read
 * `reason` and `date_s`. */
struct pg_http_response {
  const struct pg_http_response_sink *sink;
  void *context;
  uint32_t clock_s;
  uint32_t body_max;
  uint32_t body_bytes;
  uint32_t head_bytes;
  uint32_t left;   /* remaining bytes of the body or the chunk */
  int64_t date_s;  /* the response's Date; -1: none or invalid */
  int32_t length;  /* Content-Length, or -1 */
  int32_t keep_s;  /* how long the connection may be idle, in seconds */
  uint16_t status; /* 0 until the status line has been read */
  uint8_t step;
  uint8_t reason;      /* why the response is invalid (PG_REASON_*) */
  uint8_t part;        /* the current part of the header line: the name, blanks before the value, the value */
  uint8_t name;        /* the name of the header in this line */
  uint8_t is_last;     /* the connection ends with this response */
  uint8_t is_chunked;
  uint8_t is_coded;    /* the body has a content coding (RFC 9110 section 8.4) */
  uint8_t is_cr;       /* the previous byte was a CR */
  uint8_t is_cut;      /* the name or the value did not fit into `text` */
  uint8_t text_size;
  uint8_t retry_size;
  char text[PG_HTTP_RESPONSE_LINE];  /* the name or the value */
  char retry[PG_HTTP_RESPONSE_LINE]; /* Retry-After, until the head is complete */
};

/* Prepares for a new response.
 * @param sink must stay in place until the response has ended
 * @param context passed to each function of the sink
 * @param body_max limit of the body in bytes
 * @param clock_s the device's time in seconds since 1970, 0 if unknown. If the response has no Date, a Retry-After date
 * is compared with this time */
void pg_http_response_start(struct pg_http_response *response, const struct pg_http_response_sink *sink, void *context,
                     uint32_t body_max, uint32_t clock_s);

/* Parses the next `size` bytes. After END and INVALID, each call returns the same result again. */
enum pg_http_response_result pg_http_response_read(struct pg_http_response *response, const uint8_t *bytes, size_t size);

/* Call this when the connection has been closed properly. Returns END if the response is now complete, and INVALID
 * otherwise. If the connection broke instead, the caller itself must refuse the response. */
enum pg_http_response_result pg_http_response_closed(struct pg_http_response *response);

/* Returns how long the connection may stay idle after a complete response, in seconds; 0: close it. As in
 * platform/node/connection-pool.ts, this is a second less than `Keep-Alive: timeout`, at most 10 minutes, or 4 s
 * without Keep-Alive. The second is a margin: if the server is closing the connection, nobody knows whether it
 * processes a request. The result is 0 after `Connection: close`, an HTTP/1.0 response, a body that ended with the
 * connection, or additional bytes. */
int pg_http_response_keep_s(const struct pg_http_response *response);

/* The longest wait that is reported. It is the largest integer of the core. */
enum { PG_RETRY_LONGEST_S = 134217727 };

/* Returns the days from 1 January 1970 to a date. `year` is 1..9999, `month` 1..12. A `day` after the month's end
 * counts as a day of the next month. */
int pg_days_of(int year, int month, int day);

/* Parses an HTTP date of `size` bytes. Returns 1, or 0 if it is invalid or before 1970. */
int pg_http_date(const char *text, size_t size, int64_t *seconds);

/* Parses Retry-After (RFC 9110 §10.2.3). Returns seconds, at most PG_RETRY_LONGEST_S. Returns -1 if the value is
 * invalid, or if it is a date and `from_s` is unknown.
 * @param from_s the response's Date, or else the device's clock, in seconds since 1970; -1: unknown */
int pg_retry_after(const char *text, size_t size, int64_t from_s);

#ifdef __cplusplus
}
#endif

#endif
