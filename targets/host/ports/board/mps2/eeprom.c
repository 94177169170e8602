/* A 24C256 EEPROM: 32 KiB in pages of 64 bytes, written a page at a time. */
#include "board.h"
#include "clock.h"

enum { DEVICE = 0x50, PAGE = 64, WRITE_MS_MAX = 20 };

static void address_of(uint8_t head[2], size_t at) {
  head[0] = (uint8_t)(at >> 8);
  head[1] = (uint8_t)at;
}

int board_eeprom_read(size_t at, uint8_t *bytes, size_t size) {
  uint8_t head[2];
  if (at + size > BOARD_EEPROM_BYTES) return 0;
  address_of(head, at);
  return board_i2c_read(DEVICE, head, sizeof head, bytes, size);
}

/* While it writes, the chip does not answer to its name. */
static int wait_until_written(void) {
  uint32_t began = pg_clock_ms();
  while (!board_i2c_write(DEVICE, NULL, 0, NULL, 0)) {
    if (pg_clock_ms() - began > WRITE_MS_MAX) return 0;
  }
  return 1;
}

int board_eeprom_write(size_t at, const uint8_t *bytes, size_t size) {
  if (at + size > BOARD_EEPROM_BYTES) return 0;
  while (size > 0) {
    uint8_t head[2];
    size_t count = PAGE - at % PAGE;
    if (count > size) count = size;
    address_of(head, at);
    if (!board_i2c_write(DEVICE, head, sizeof head, bytes, count) || !wait_until_written()) return 0;
    at += count;
    bytes += count;
    size -= count;
  }
  return 1;
}
