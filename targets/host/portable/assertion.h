/* Assertions for the internal invariants of the host. A failed assertion is a bug in this folder; faults of a server or
 * a port are returned as results instead. Builds with -DPG_ASSERTIONS check the assertions: the host under the
 * sanitizers, its test programs, and the fuzzers. In releases, the assertions add no code. */
#ifndef PICOGRANT_ASSERTION_H
#define PICOGRANT_ASSERTION_H

#ifdef PG_ASSERTIONS

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void pg_must(int holds, const char *rule) {
  if (holds) return;
  fprintf(stderr, "the host is at fault: %s\n", rule);
  abort();
}

#ifdef __cplusplus
}
#endif

#define PG_MUST(holds, rule) pg_must(holds, rule)

#else

/* The compiler checks the expression, but it is never evaluated. */
#define PG_MUST(holds, rule) ((void)sizeof(!(holds)))

#endif

#endif
