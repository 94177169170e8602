/* Time and random bytes on Linux, and libsodium's SHA-256. */
#include "picogrant-port.h"

#include <sodium/crypto_hash_sha256.h>
#include <sys/random.h>
#include <time.h>

uint32_t pg_clock_ms(void) {
  struct timespec now;
  /* CLOCK_BOOTTIME also counts while the machine is suspended, because codes expire then, too. */
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)((uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u);
}

/* A time before 2020 means that the clock was never set. */
uint32_t pg_clock_wall_s(void) {
  enum { YEAR_2020 = 1577836800 };
  time_t now = time(NULL);
  return now > YEAR_2020 && now <= (time_t)UINT32_MAX ? (uint32_t)now : 0;
}

int pg_random(uint8_t *bytes, size_t size) {
  return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}

/* The digest does not need sodium_init. */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  return crypto_hash_sha256(digest, bytes, size) == 0;
}
