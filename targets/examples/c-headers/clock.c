/* The port's clock, chance and digest (clock.h): of a board whose timer counts, and that has no source of chance yet. */
#include "clock.h"

/* A timer's interrupt would count; here asking does. */
static uint32_t milliseconds;

uint32_t pg_clock_ms(void) { return milliseconds += 10; }

/* The date is not known: TLS is refused, and dates in answers count from the answer's own. */
uint32_t pg_clock_wall_s(void) { return 0; }

/* A real board asks its hardware; without it nothing may be done that rests on chance. */
int pg_random(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = 0;
  return 0;
}

int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  (void)bytes;
  (void)size;
  digest[0] = 0;
  return 0;
}
