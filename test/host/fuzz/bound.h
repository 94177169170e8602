/* What a harness says must hold. One that does not is named, so that a planted fault is known to be found by it. */
#ifndef PICOGRANT_BOUND_H
#define PICOGRANT_BOUND_H

#include <stdio.h>
#include <stdlib.h>

static void check(int holds, const char *bound) {
  if (holds) return;
  fprintf(stderr, "must hold: %s\n", bound);
  abort();
}

#endif
