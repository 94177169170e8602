#include "posix.h"

#include <unistd.h>

static void edge(FILE *out, int columns) {
  putc('+', out);
  for (int column = 0; column < columns; column++) putc('-', out);
  fputs("+\n", out);
}

/* Writes a character of the display. A byte above 127 is a Latin-1 character, which the terminal gets in UTF-8. */
static void put_cell(FILE *out, uint8_t cell) {
  if (cell < 128) {
    putc(cell, out);
    return;
  }
  putc(0xC0 | cell >> 6, out);
  putc(0x80 | (cell & 63), out);
}

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  FILE *out = display->out;
  /* Draw the new frame over the previous one. */
  if (display->shown && isatty(fileno(out))) fprintf(out, "\033[%dA", rows + 2);
  display->shown = 1;
  edge(out, columns);
  for (int row = 0; row < rows; row++) {
    putc('|', out);
    for (int column = 0; column < columns; column++) put_cell(out, cells[row * columns + column]);
    fputs("|\n", out);
  }
  edge(out, columns);
  fflush(out);
}
