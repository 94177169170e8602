/* The display in a terminal. Contract in display.h. */
#include "display.h"

#include <stdio.h>
#include <unistd.h>

static void edge(int columns) {
  putchar('+');
  for (int column = 0; column < columns; column++) putchar('-');
  puts("+");
}

/* A display has a byte for each character; a terminal wants those beyond ASCII in UTF-8, as Latin-1 has them. */
static void put_cell(uint8_t cell) {
  if (cell < 128) {
    putchar(cell);
    return;
  }
  putchar(0xC0 | cell >> 6);
  putchar(0x80 | (cell & 63));
}

void pg_display_show(const uint8_t *cells, int columns, int rows) {
  static int shown;
  /* The new frame goes over the one before. */
  if (shown && isatty(STDOUT_FILENO)) printf("\033[%dA", rows + 2);
  shown = 1;
  edge(columns);
  for (int row = 0; row < rows; row++) {
    putchar('|');
    for (int column = 0; column < columns; column++) put_cell(cells[row * columns + column]);
    puts("|");
  }
  edge(columns);
  fflush(stdout);
}
