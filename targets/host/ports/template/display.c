/* The display, which is a console here. Replace this file. A frame is valid only during the call: copy it to the
 * display, or into the buffer that an interrupt sends. */
#include "picogrant-port.h"

#include <stdio.h>

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  (void)display; /* NULL, because there is only one */
  for (int row = 0; row < rows; row++) printf("|%.*s|\n", columns, (const char *)cells + row * columns);
  fflush(stdout);
}
