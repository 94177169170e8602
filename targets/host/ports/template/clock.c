/* Time, chance, a digest, sleep and keys: to be written for the board. Contracts in clock.h and port.h. */
#include "clock.h"
#include "port.h"

/*
 * A counter of milliseconds that goes on while the processor sleeps: a 32-bit timer, or the tick counter of an
 * operating system. It wraps at 2^32, which the host expects.
 */
uint32_t pg_clock_ms(void) { return 0; }

/* Seconds since 1970 from a clock that can be trusted, or 0: TLS is then refused, for want of a date to check. */
uint32_t pg_clock_wall_s(void) { return 0; }

/* The hardware's generator, its health test passed. 0: there is none; a seed compiled in is worse than that. */
int pg_random(uint8_t *bytes, size_t size) {
  (void)bytes;
  (void)size;
  return 0;
}

/* The TLS library's, or the hardware's. 0: there is none, and no server can be used that wants code challenges. */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  (void)bytes;
  (void)size;
  (void)digest;
  return 0;
}

void port_open(void) {}

/* Sleep until an interrupt of the network or a key, at most `ms`. Without it the loop spins. */
void port_wait(int ms) { (void)ms; }

int port_key(void) { return 0; }

void port_log(const char *line) { (void)line; }
