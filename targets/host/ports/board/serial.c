/* Prints text on the serial line, and stores the keys that the user presses there. Every frame of the display is also
 * printed there. The OLED shows only frames of 16x2. */
#include <string.h>

#include "board.h"
#include "picogrant-port.h"

enum { KEYS = 16 };

static volatile struct {
  uint8_t keys[KEYS];
  uint8_t next_in;  /* position that only the interrupt changes */
  uint8_t next_out; /* position that only the loop changes */
} input;

void board_log_bytes(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) board_uart_put(bytes[i]);
}

void board_log(const char *text) { board_log_bytes((const uint8_t *)text, strlen(text)); }

void board_log_number(long number) {
  char digits[12];
  size_t at = sizeof digits;
  unsigned long rest = number < 0 ? 0ul - (unsigned long)number : (unsigned long)number;
  digits[--at] = 0;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0) digits[--at] = '-';
  board_log(digits + at);
}

void board_log_hex(uint32_t number) {
  board_log("0x");
  for (int shift = 28; shift >= 0; shift -= 4) board_uart_put((uint8_t)"0123456789abcdef"[(number >> shift) & 15]);
}

void board_keep_key(uint8_t key) {
  uint8_t after = (uint8_t)((input.next_in + 1) % KEYS);
  if (after == input.next_out) return;
  input.keys[input.next_in] = key;
  input.next_in = after;
}

int board_key_is_stored(void) { return input.next_in != input.next_out; }

int board_key(void) {
  if (!board_key_is_stored()) return -1;
  int key = input.keys[input.next_out];
  input.next_out = (uint8_t)((input.next_out + 1) % KEYS);
  return key;
}

static void edge(int columns) {
  board_log("+");
  for (int i = 0; i < columns; i++) board_log("-");
  board_log("+\n");
}

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  (void)display; /* unused, because the board has only one display */
  edge(columns);
  for (int row = 0; row < rows; row++) {
    board_log("|");
    board_log_bytes(cells + row * columns, (size_t)columns);
    board_log("|\n");
  }
  edge(columns);
  if (columns == 16 && rows == 2) board_oled_show(cells);
}
