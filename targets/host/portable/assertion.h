/* Assertions of internal invariants: a failed one is a bug of picogrant, not a fault of a server or a port. Only
 * builds with -DPG_ASSERTIONS check them, such as the test programs and the fuzzers. In releases they add no code. */
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

/* The compiler checks the expression, but the program does not evaluate it. */
#define PG_MUST(holds, rule) ((void)sizeof(!(holds)))

#endif

#endif
