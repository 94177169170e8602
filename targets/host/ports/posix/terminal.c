/* The display in a terminal. Contract in display.h. */
#include "display.h"

#include <stdio.h>
#include <unistd.h>

static void edge(int columns) {
  putchar('+');
  for (int column = 0; column < columns; column++) putchar('-');
  puts("+");
}

void pg_display_show(const uint8_t *cells, int columns, int rows) {
  static int shown;
  /* The new frame goes over the one before. */
  if (shown && isatty(STDOUT_FILENO)) printf("\033[%dA", rows + 2);
  shown = 1;
  edge(columns);
  for (int row = 0; row < rows; row++) {
    putchar('|');
    fwrite(cells + row * columns, 1, (size_t)columns, stdout);
    puts("|");
  }
  edge(columns);
  fflush(stdout);
}
