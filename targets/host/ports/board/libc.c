/* The system functions that an engine and the C library require. If the engine aborts, the board restarts. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#include "board.h"
#include "picogrant-port.h"

void __assert_func(const char *file, int line, const char *function, const char *what) __attribute__((noreturn));
void *_sbrk(ptrdiff_t bytes);
int _gettimeofday(struct timeval *now, void *zone);

void abort(void) {
  board_log("the engine has given up; restarting\n");
  board_restart();
}

void __assert_func(const char *file, int line, const char *function, const char *what) {
  (void)file;
  (void)line;
  (void)function;
  (void)what;
  abort();
}

/* The engine's heap, for the C library's malloc. Only the engine allocates. */
static uint8_t arena[ARENA_BYTES] __attribute__((section(".noinit"), aligned(8)));
static size_t taken;

void *_sbrk(ptrdiff_t bytes) {
  void *block = arena + taken;
  if (bytes >= 0 && (size_t)bytes <= ARENA_BYTES - taken) {
    taken += (size_t)bytes;
    return block;
  }
  errno = ENOMEM;
  return (void *)-1;
}

size_t board_heap_reached(void) { return taken; }

/* Returns "not a number". The C library's pow takes 5 KiB, and only the operator ** would use it. The core does not use
 * this operator. If your application does, remove this function. */
double pow(double base, double exponent) {
  (void)base;
  (void)exponent;
  return NAN;
}

int _gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  now->tv_sec = pg_clock_wall_s();
  now->tv_usec = 0;
  return 0;
}
