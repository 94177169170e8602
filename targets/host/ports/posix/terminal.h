/* A display that is drawn in a terminal, or printed where the output is none. */
#ifndef PICOGRANT_TERMINAL_H
#define PICOGRANT_TERMINAL_H

#include <stdio.h>

#include "display.h"

/* One device's: the caller's, while the device is open. */
struct pg_display {
  FILE *out; /* no other display's: each frame goes over the one before */
  int shown; /* 0 at first; terminal.c's own */
};

#endif
