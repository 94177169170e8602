/* The display on a console. */
#include "display.h"

#include <stdio.h>

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  (void)display;
  for (int row = 0; row < rows; row++) printf("|%.*s|\n", columns, (const char *)cells + row * columns);
  fflush(stdout);
}
