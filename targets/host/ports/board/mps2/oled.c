/* A display of 96 x 16 pixels with an SSD0303 controller. It shows sixteen characters of six columns in two rows, as
 * the core's 16x2 display. The font's columns have the controller's format, with the top pixel in the lowest bit. */
#include <string.h>

#include "board.h"
#include "font.h"

enum {
  DEVICE = 0x3d,
  COLUMNS = 16,
  ROWS = 2,
  CELL = FONT_COLUMNS + 1,
  /* The controller has 132 columns. The display starts at column 36. */
  FIRST_COLUMN = 36,
  SET_COLUMN_LOW = 0x00,
  SET_COLUMN_HIGH = 0x10,
  SET_ROW = 0xb0,
  DISPLAY_ON = 0xaf
};

static const uint8_t command_head = 0x80;
static const uint8_t data_head = 0x40;

static int command(uint8_t byte) {
  return board_i2c_write(DEVICE, &command_head, 1, &byte, 1);
}

static void show_row(int row, const uint8_t *cells) {
  uint8_t pixels[COLUMNS * CELL];
  memset(pixels, 0, sizeof pixels);
  for (int i = 0; i < COLUMNS; i++) memcpy(pixels + i * CELL, glyph(cells[i]), FONT_COLUMNS);
  if (command((uint8_t)(SET_ROW | row)) && command(SET_COLUMN_LOW | (FIRST_COLUMN & 15)) &&
      command(SET_COLUMN_HIGH | FIRST_COLUMN >> 4)) {
    (void)board_i2c_write(DEVICE, &data_head, 1, pixels, sizeof pixels);
  }
}

void board_oled_show(const uint8_t *cells) {
  for (int row = 0; row < ROWS; row++) show_row(row, cells + row * COLUMNS);
}

void board_oled_open(void) {
  uint8_t blank[COLUMNS * ROWS];
  memset(blank, ' ', sizeof blank);
  if (command(DISPLAY_ON)) board_oled_show(blank);
}
