/*
 * What an engine and the C library below it ask of the system: memory, the time, and an end. Where the engine gives up,
 * the board starts anew: the C library's own ways to do that print to files, and there are none.
 */
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

/* What an engine's heap is made of, by the C library's malloc. Nobody else allocates. */
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

/*
 * The operator ** is the one place left (quickjs.sed) where the engine wants the C library's pow, 5 KiB with what that
 * stands on. The core has no use for it: here it says that it is not a number. Remove it for an application that has.
 */
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
