/* A display of 128 x 64 dots in sixteen greys, with an SSD0323 controller. It shows sixteen characters of six columns
 * in two rows in its middle, as the core's 16x2 display. */
#include "board.h"
#include "font.h"
#include "registers.h"

enum {
  COLUMNS = 16,
  ROWS = 2,
  DOT_ROWS = 8,
  /* A byte contains two dots, the left one in its upper half. */
  PANEL_BYTES = 64,
  PANEL_ROWS = 64,
  CELL_BYTES = (FONT_COLUMNS + 1) / 2,
  TEXT_BYTES = COLUMNS * CELL_BYTES,
  FIRST_BYTE = (PANEL_BYTES - TEXT_BYTES) / 2,
  FIRST_ROW = (PANEL_ROWS - ROWS * DOT_ROWS) / 2,
  SET_COLUMNS = 0x15,
  SET_ROWS = 0x75,
  DISPLAY_ON = 0xaf
};

/* Sends a byte to the display. The SD card must not be selected at the same time. */
static void put(int is_data, uint8_t byte) {
  PORT_PINS(PORT_C, PIN_C_DATA) = is_data ? PIN_C_DATA : 0;
  PORT_PINS(PORT_A, PIN_A_PANEL) = 0;
  (void)board_ssi_byte(byte);
  PORT_PINS(PORT_A, PIN_A_PANEL) = PIN_A_PANEL;
  PORT_PINS(PORT_C, PIN_C_DATA) = 0;
}

/* Sets the window of bytes and rows that the following bytes fill, from the left and from the top. */
static void set_window(int first_byte, int bytes, int first_row, int rows) {
  const uint8_t commands[] = {SET_COLUMNS, (uint8_t)first_byte, (uint8_t)(first_byte + bytes - 1),
                              SET_ROWS,    (uint8_t)first_row,  (uint8_t)(first_row + rows - 1)};
  for (size_t i = 0; i < sizeof commands; i++) put(0, commands[i]);
}

static uint8_t dot(uint8_t cell, int column, int row) {
  if (column >= FONT_COLUMNS) return 0;
  return glyph(cell)[column] >> row & 1 ? 15 : 0;
}

void board_oled_show(const uint8_t *cells) {
  set_window(FIRST_BYTE, TEXT_BYTES, FIRST_ROW, ROWS * DOT_ROWS);
  for (int row = 0; row < ROWS * DOT_ROWS; row++) {
    const uint8_t *line = cells + row / DOT_ROWS * COLUMNS;
    for (int i = 0; i < TEXT_BYTES; i++) {
      uint8_t cell = line[i / CELL_BYTES];
      int column = i % CELL_BYTES * 2;
      put(1, (uint8_t)(dot(cell, column, row % DOT_ROWS) << 4 | dot(cell, column + 1, row % DOT_ROWS)));
    }
  }
}

void board_oled_open(void) {
  set_window(0, PANEL_BYTES, 0, PANEL_ROWS);
  for (int i = 0; i < PANEL_BYTES * PANEL_ROWS; i++) put(1, 0);
  put(0, DISPLAY_ON);
}
