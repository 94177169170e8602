/* libsodium's SHA-256, for the host on Linux. Contract in clock.h. It needs no sodium_init. */
#include <sodium/crypto_hash_sha256.h>

#include "clock.h"

int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  return crypto_hash_sha256(digest, bytes, size) == 0;
}
