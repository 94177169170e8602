/* The command line. */
#ifndef PICOGRANT_OPTIONS_H
#define PICOGRANT_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "page.h"

enum { PG_EXIT_WRONG = 2, PG_EXIT_BROKEN = 70 };

struct pg_options {
  const char *config;
  const char *pages[PG_PAGE_AREAS]; /* in place of it; NULL: none */
  size_t heap_limit;
};

/* Says in one line on standard error what is wrong with what. Returns PG_EXIT_WRONG. */
int pg_complain(const char *what, const char *why);

/* Reads the command line. 0; or -1 where all is done; or the exit code, the reason having been said. */
int pg_read_options(int count, char **arguments, struct pg_options *options);

#endif
