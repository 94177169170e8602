/*
 * The display: every frame goes out on the serial line, drawn with a border; a frame of 16x2 goes to the OLED
 * as well. Contract in display.h.
 */
#include "display.h"

#include "board.h"

static void edge(int columns) {
  board_log("+");
  for (int i = 0; i < columns; i++) board_log("-");
  board_log("+\n");
}

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  (void)display; /* the board has one */
  edge(columns);
  for (int row = 0; row < rows; row++) {
    board_log("|");
    board_log_bytes(cells + row * columns, (size_t)columns);
    board_log("|\n");
  }
  edge(columns);
  if (columns == 16 && rows == 2) board_oled_show(cells);
}
