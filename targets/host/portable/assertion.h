/*
 * What must hold in the host itself, said where it must hold. A server's fault is a value, a port's too; only a fault of
 * this folder's own files leads to an assertion. The release leaves them out, and not a byte of it depends on them; what
 * is built with -DPG_ASSERTIONS has them: the host under the sanitizers, its test programs, the fuzzers.
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

/* Compiled, so that it stays right, and never evaluated. */
#define PG_MUST(holds, rule) ((void)sizeof(!(holds)))

#endif

#endif
