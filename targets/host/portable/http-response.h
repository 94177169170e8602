/*
 * Reads one HTTP/1.x response in pieces of any size (RFC 9112): status, the few headers that matter, and the body, whether
 * it has a length, comes in chunks, or ends with the connection. It neither waits nor allocates.
 *
 * What is refused, because it may mean that the answer is not what the server sent: two different lengths,
 * a length besides chunks (RFC 9112 §6.3), a transfer coding other than `chunked`, a body with a content coding, a header without a colon or with
 * a blank before it (§5.1), a byte NUL, a head of more than PG_HTTP_RESPONSE_HEAD_MAX bytes, a body of more than
 * the given limit, an answer that is cut off. What is borne: LF alone as the end of a line (§2.2), folded
 * headers (§5.2), interim answers (RFC 9110 §15.2), extensions of chunks, and trailers, which are ignored.
 */
#ifndef PICOGRANT_HTTP_RESPONSE_H
#define PICOGRANT_HTTP_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of all heads of an answer, interim ones, chunk sizes and trailers included. */
enum { PG_HTTP_RESPONSE_HEAD_MAX = 65536, PG_HTTP_RESPONSE_LINE = 64 };

enum pg_http_response_result {
  PG_HTTP_RESPONSE_MORE = 0, /* it goes on */
  PG_HTTP_RESPONSE_END = 1,  /* it is complete; bytes behind it are not looked at */
  PG_HTTP_RESPONSE_INVALID = 2   /* it is refused; nothing more is reported */
};

/* Where the reader reports, from within pg_http_response_read and pg_http_response_closed only; `context` is pg_http_response_start's. */
struct pg_http_response_sink {
  /* Once, ahead of the body. `status` is 100..999, `retry_after_s` -1 where the server did not say. */
  void (*status)(void *context, int status, int retry_after_s);
  /* Any number of times, `size` at least 1; the bytes are lent for the call. */
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  /*
   * Ahead of the status of an answer of 401: its WWW-Authenticate (RFC 9110 section 11.6.1) byte by byte, a line feed
   * behind each. NULL: nobody asks.
   */
  void (*challenge)(void *context, uint8_t c);
};

/* The fields are the reader's own, but for `reason`. */
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
  int32_t keep_s;  /* what Keep-Alive says */
  uint16_t status; /* 0 until the status line is read */
  uint8_t step;
  uint8_t reason;      /* PG_REASON_*: why it is refused, for whoever was told BAD */
  uint8_t part;        /* of the line: before the name, name, before the value, value */
  uint8_t name;        /* which header the line is */
  uint8_t is_last;     /* the connection ends with this answer */
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
 * Prepares for a new answer.
 * @param sink stays where it is until the answer is over
 * @param context handed to each of its functions
 * @param body_max bytes that the body may have
 * @param clock_s the device's wall time in seconds since 1970, 0 where unknown; for a Retry-After date in
 *   an answer without Date
 */
void pg_http_response_start(struct pg_http_response *response, const struct pg_http_response_sink *sink, void *context,
                     uint32_t body_max, uint32_t clock_s);

/* Takes the next `size` bytes. After END and BAD it returns the same again. */
enum pg_http_response_result pg_http_response_read(struct pg_http_response *response, const uint8_t *bytes, size_t size);

/*
 * The connection has ended in order: END where that is the end of the body, otherwise BAD. A connection
 * that broke is for the caller to refuse.
 */
enum pg_http_response_result pg_http_response_closed(struct pg_http_response *response);

/*
 * How long the connection may rest behind an answer that has come to END, in seconds, until the next request goes out on
 * it; 0: not at all. As platform/node/http.ts has it: a second less than the server says (`Keep-Alive: timeout`), since a
 * request that meets the end on its way may have been acted on or not; little where the server says nothing; never after
 * `Connection: close`, an answer of HTTP/1.0, one that only the end of the connection ended, or bytes behind it.
 */
int pg_http_response_keep_s(const struct pg_http_response *response);

/* The longest wait that is reported: what the core's integers hold. */
enum { PG_RETRY_LONGEST_S = 134217727 };

/* Days from 1 January 1970; `year` is 1..9999, `month` 1..12. A day that it does not have counts on into the next one. */
int pg_days_of(int year, int month, int day);

/* Reads an HTTP date of `size` bytes into seconds since 1970. 1, or 0 where it is none or lies before 1970. */
int pg_http_date(const char *text, size_t size, int64_t *seconds);

/*
 * Seconds of a Retry-After (RFC 9110 §10.2.3), at most PG_RETRY_LONGEST_S; -1 if it is not understood, or is a date and
 * there is nothing to count it from.
 * @param from_s the response's Date, or else the device's clock, in seconds since 1970; -1: unknown
 */
int pg_retry_after(const char *text, size_t size, int64_t from_s);

#ifdef __cplusplus
}
#endif

#endif
