/* Time, random bytes, sleep, the user's keys and the log on Linux, without a digest and a signer. Replace these functions
 * with your board's (picogrant-port.h, port.h). */
#include "picogrant-port.h"

#include <poll.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "port.h"

static int input = STDIN_FILENO;

/* On a board, use a 32-bit timer or the tick counter of an operating system. It must run while the processor sleeps,
 * and wrap at 2^32. */
uint32_t pg_clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint32_t)((uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u);
}

/* On a board without a reliable clock, use wall-clock.h. Or return 0 and refuse TLS, which needs the time for
 * certificates. */
uint32_t pg_clock_wall_s(void) { return (uint32_t)time(NULL); }

/* On a board, use the hardware's generator after its health test. Return 0 if there is none; a fixed seed is not safe. */
int pg_random(uint8_t *bytes, size_t size) {
  return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}

/* On a board, use the SHA-256 of the TLS library or the hardware. Without it, servers that require code challenges
 * cannot be used. */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  (void)bytes;
  (void)size;
  (void)digest;
  return 0;
}

#ifdef PG_KEYS
/* Only a build with -DPG_KEYS has a signer, for DPoP and private_key_jwt (keys.h). */
const struct pg_signer *port_signer(void) { return NULL; }
#endif

void port_open(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

/* Sleeps until a key is pressed or a network event occurs, at most `ms` milliseconds. On a board, use interrupts. */
void port_wait(int ms) {
  struct pollfd waiting[] = {{input, POLLIN, 0}, {socket_descriptor(), socket_events(), 0}};
  (void)poll(waiting, 2, ms);
}

int port_key(void) {
  struct pollfd waiting = {input, POLLIN, 0};
  char key = 0;
  if (input < 0 || poll(&waiting, 1, 0) <= 0) return 0;
  /* After the end of the input, the user can press no more keys. */
  if (read(input, &key, 1) != 1) input = -1;
  return key;
}

void port_log(const char *line) { fprintf(stderr, "%s\n", line); }
