/*
 * What the C library asks of the system below it. There are no files and no processes: what the engine prints
 * goes nowhere, and where it gives up the board starts anew.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "board.h"
#include "picogrant-port.h"

void _exit(int code) __attribute__((noreturn));
int _kill(int process, int signal);
int _getpid(void);
int _write(int file, const char *bytes, int size);
int _read(int file, char *bytes, int size);
int _close(int file);
int _lseek(int file, int to, int from);
int _fstat(int file, struct stat *status);
int _isatty(int file);
void *_sbrk(ptrdiff_t bytes);
int _gettimeofday(struct timeval *now, void *zone);

void _exit(int code) {
  (void)code;
  board_log("the engine has given up; restarting\n");
  board_restart();
}

int _kill(int process, int signal) {
  (void)process;
  _exit(signal);
}

int _getpid(void) { return 1; }

int _write(int file, const char *bytes, int size) {
  (void)file;
  (void)bytes;
  return size;
}

int _read(int file, char *bytes, int size) {
  (void)file;
  (void)bytes;
  (void)size;
  return 0;
}

int _close(int file) {
  (void)file;
  return -1;
}

int _lseek(int file, int to, int from) {
  (void)file;
  (void)to;
  (void)from;
  return 0;
}

int _fstat(int file, struct stat *status) {
  (void)file;
  status->st_mode = S_IFCHR;
  return 0;
}

int _isatty(int file) {
  (void)file;
  return 1;
}

#ifdef ARENA_BYTES
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
#else
void *_sbrk(ptrdiff_t bytes) {
  (void)bytes;
  errno = ENOMEM;
  return (void *)-1;
}
#endif

int _gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  now->tv_sec = pg_clock_wall_s();
  now->tv_usec = 0;
  return 0;
}
