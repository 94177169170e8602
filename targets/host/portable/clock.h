/* Time, chance and a digest, which every port brings. */
#ifndef PICOGRANT_CLOCK_H
#define PICOGRANT_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds since any moment, going on while the board sleeps; wraps at 2^32. */
uint32_t pg_clock_ms(void);

/*
 * Seconds since 1970, or 0 where the board does not know. Only certificates and the dates of answers
 * depend on it; without it TLS must be refused, since nobody could tell an expired certificate.
 */
uint32_t pg_clock_wall_s(void);

/*
 * Fills `bytes` with `size` random bytes that nobody can guess. 1, or 0 where there is no such source:
 * then nothing may be done that rests on them.
 */
int pg_random(uint8_t *bytes, size_t size);

enum { PG_SHA256_BYTES = 32 };

/*
 * SHA-256 (FIPS 180-4) of `size` bytes. 1, or 0 where the port has none: then nothing goes out that needs it (code
 * challenges, RFC 7636).
 */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
