/*
 * Internal invariants of the host. A server's or a port's fault is a value; only a bug in this folder fails an
 * assertion. Releases omit them, and are identical without them; builds with -DPG_ASSERTIONS check them: the host under
 * the sanitizers, its test programs, the fuzzers.
 */
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

/* Compiled, so that it stays valid, but never evaluated. */
#define PG_MUST(holds, rule) ((void)sizeof(!(holds)))

#endif

#endif
