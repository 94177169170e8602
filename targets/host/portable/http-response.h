/*
 * Parses one HTTP/1.x response in pieces of any size (RFC 9112): status, the few relevant headers, and the body,
 * whether it has a length, comes in chunks, or ends with the connection. It neither waits nor allocates.
 *
 * It refuses responses that may not be what the server sent: two different lengths, a length and chunks (RFC 9112
 * §6.3), a transfer coding other than `chunked`, a body with a content coding, a header without a colon or with a space
 * before it (§5.1), a NUL byte, heads of more than PG_HTTP_RESPONSE_HEAD_MAX bytes, a body above the given limit, a
 * truncated response. It accepts LF alone as the end of a line (§2.2), folded headers (§5.2), interim responses (RFC
 * 9110 §15.2), chunk extensions, and trailers, which are ignored.
 */
#ifndef PICOGRANT_HTTP_RESPONSE_H
#define PICOGRANT_HTTP_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of all heads of a response, including interim ones, chunk sizes and trailers. */
enum { PG_HTTP_RESPONSE_HEAD_MAX = 65536, PG_HTTP_RESPONSE_LINE = 64 };

enum pg_http_response_result {
  PG_HTTP_RESPONSE_MORE = 0, /* it goes on */
  PG_HTTP_RESPONSE_END = 1,  /* it is complete; bytes after it are not read */
  PG_HTTP_RESPONSE_INVALID = 2   /* it is refused; nothing more is reported */
};

/*
 * The recipient of the response, from within pg_http_response_read and pg_http_response_closed only; `context` is that
 * of pg_http_response_start.
 */
struct pg_http_response_sink {
  /* Once, before the body. `status` is 100..999, `retry_after_s` -1 without Retry-After. */
  void (*status)(void *context, int status, int retry_after_s);
  /* Any number of times, `size` at least 1; the bytes are valid during the call. */
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  /*
   * Before the status of a 401: its WWW-Authenticate (RFC 9110 section 11.6.1) byte by byte, with a line feed after
   * each value. NULL: not needed.
   */
  void (*challenge)(void *context, uint8_t c);
};

/* The fields are internal, except `reason`. */
struct pg_http_response {
  const struct pg_http_response_sink *sink;
  void *context;
  uint32_t clock_s;
  uint32_t body_max;
  uint32_t body_bytes;
  uint32_t head_bytes;
  uint32_t left;   /* of the body or the chunk */
  int64_t date_s;  /* the response's Date; -1: none that is understood */
  int32_t length;  /* Content-Length, or -1 */
  int32_t keep_s;  /* from Keep-Alive */
  uint16_t status; /* 0 until the status line is read */
  uint8_t step;
  uint8_t reason;      /* PG_REASON_*: why it is INVALID */
  uint8_t part;        /* of the line: before the name, name, before the value, value */
  uint8_t name;        /* which header the line is */
  uint8_t is_last;     /* the connection ends with this response */
  uint8_t is_chunked;
  uint8_t is_coded;    /* the body has a content coding (RFC 9110 section 8.4) */
  uint8_t is_cr;       /* the byte before was a CR */
  uint8_t is_cut;      /* the text of the line did not fit */
  uint8_t text_size;
  uint8_t retry_size;
  char text[PG_HTTP_RESPONSE_LINE];  /* name or value of the line */
  char retry[PG_HTTP_RESPONSE_LINE]; /* Retry-After, until Date is known */
};

/*
 * Prepares for a new response.
 * @param sink must stay in place until the response has ended
 * @param context passed to each of its functions
 * @param body_max limit of the body in bytes
 * @param clock_s the device's wall time in seconds since 1970, 0 if unknown; for a Retry-After date in a response
 * without Date
 */
void pg_http_response_start(struct pg_http_response *response, const struct pg_http_response_sink *sink, void *context,
                     uint32_t body_max, uint32_t clock_s);

/* Takes the next `size` bytes. After END and INVALID it returns the same again. */
enum pg_http_response_result pg_http_response_read(struct pg_http_response *response, const uint8_t *bytes, size_t size);

/*
 * The connection has ended properly: END if that ends the body, otherwise INVALID. A broken connection is for the
 * caller to refuse.
 */
enum pg_http_response_result pg_http_response_closed(struct pg_http_response *response);

/*
 * How long the connection may stay idle after a complete response, in seconds; 0: not at all. As in
 * platform/node/http.ts: a second less than the server says (`Keep-Alive: timeout`), because a request that meets a
 * closing connection may or may not have been processed; a short time if the server says nothing; never after
 * `Connection: close`, an HTTP/1.0 response, one that ended with the connection, or trailing bytes.
 */
int pg_http_response_keep_s(const struct pg_http_response *response);

/* The longest wait that is reported: the limit of the core's integers. */
enum { PG_RETRY_LONGEST_S = 134217727 };

/*
 * Days from 1 January 1970; `year` is 1..9999, `month` 1..12. A day beyond the month's last continues in the next one.
 */
int pg_days_of(int year, int month, int day);

/* Parses an HTTP date of `size` bytes into seconds since 1970. 1, or 0 if it is invalid or before 1970. */
int pg_http_date(const char *text, size_t size, int64_t *seconds);

/*
 * Seconds of a Retry-After (RFC 9110 §10.2.3), at most PG_RETRY_LONGEST_S; -1 if it is invalid, or a date without a
 * reference.
 * @param from_s the response's Date, or else the device's clock, in seconds since 1970; -1: unknown
 */
int pg_retry_after(const char *text, size_t size, int64_t from_s);

#ifdef __cplusplus
}
#endif

#endif
