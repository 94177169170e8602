/*
 * Retry-After of an HTTP answer (RFC 9110 §10.2.3): seconds, or one of the three formats of a date (§5.6.7),
 * which counts from the same answer's own Date, so that a device needs no clock.
 */
#ifndef PICOGRANT_HTTP_DATE_H
#define PICOGRANT_HTTP_DATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest wait that is reported: what the core's integers hold. */
enum { PG_RETRY_LONGEST_S = 134217727 };

/* Reads an HTTP date of `size` bytes into seconds since 1970. 1, or 0 where it is none. */
int pg_http_date(const char *text, size_t size, int64_t *seconds);

/*
 * Seconds that the value of Retry-After asks for, 0..PG_RETRY_LONGEST_S, longer ones cut down to that; -1
 * where it is not understood, or is a date and there is nothing to count it from.
 * @param from_s the answer's Date, or else the device's clock, in seconds since 1970; 0: unknown
 */
int pg_retry_after(const char *text, size_t size, int64_t from_s);

#ifdef __cplusplus
}
#endif

#endif
