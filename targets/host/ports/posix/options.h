/* The command line. */
#ifndef PICOGRANT_OPTIONS_H
#define PICOGRANT_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum { PG_KEYS_MAX = 4, PG_EXIT_WRONG = 2, PG_EXIT_BROKEN = 70 };

struct pg_options {
  const char *config;
  const char *images;
  const char *keys[PG_KEYS_MAX]; /* files */
  int key_count;
  const char *install;
  uint32_t counter_min;
  size_t heap_limit;
};

/* Says in one line on standard error what is wrong with what. Returns PG_EXIT_WRONG. */
int pg_complain(const char *what, const char *why);

/* Reads the command line. 0; or -1 where all is done; or the exit code, the reason having been said. */
int pg_read_options(int count, char **arguments, struct pg_options *options);

#endif
