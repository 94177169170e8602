/* Time and chance on Linux. Contract in clock.h. */
#include "clock.h"

#include <sys/random.h>
#include <time.h>

uint32_t pg_clock_ms(void) {
  struct timespec now;
  /* A code runs out while the board is suspended, too. */
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)((uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u);
}

int pg_random_seed(void) {
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != (ssize_t)sizeof bits) return 0;
  return (int)(bits & 0x3ffffff);
}
