/* The display on a console. */
#include "display.h"

#include <stdio.h>

void pg_display_show(const uint8_t *cells, int columns, int rows) {
  for (int row = 0; row < rows; row++) printf("|%.*s|\n", columns, (const char *)cells + row * columns);
  fflush(stdout);
}
