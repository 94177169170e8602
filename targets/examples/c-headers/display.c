/* The port's display (display.h): a console. A program with two devices gives each a struct pg_display of its own. */
#include "display.h"

#include <stdio.h>

struct pg_display {
  const char *name;
};

extern struct pg_display example_display;
struct pg_display example_display = {"example"};

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  for (int row = 0; row < rows; row++) {
    printf("%s |%.*s|\n", display->name, columns, (const char *)cells + row * columns);
  }
}
