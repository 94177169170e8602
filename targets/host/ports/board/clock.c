#include "board.h"
#include "map.h"
#include "picogrant-port.h"

enum { STORED_AT = BOARD_EEPROM_BYTES - 2 * MAP_EEPROM_PAGE };

struct record {
  struct pg_wall_stored stored;
  uint32_t check;
};

/* Returns a checksum. It does not match if a record was never written, and its bits are all 0 or all 1. */
static uint32_t check_of(const struct pg_wall_stored *stored) { return stored->earliest_s ^ stored->last_s ^ 0x5a5a5a5a; }

static void keep(const struct pg_wall_stored *stored, uint32_t wall_s) {
  const struct record record = {*stored, check_of(stored)};
  board_log("clock: set by the server\n");
  board_clock_set_chip(wall_s);
  (void)board_eeprom_write(STORED_AT, (const uint8_t *)&record, sizeof record);
}

struct pg_wall_clock board_clock = {.keep = keep};

void board_clock_read(uint32_t earliest_s) {
  struct record record;
  int is_first = board_clock.stored.earliest_s == 0;
  if (is_first && board_eeprom_read(STORED_AT, (uint8_t *)&record, sizeof record) &&
      record.check == check_of(&record.stored)) {
    board_clock.stored = record.stored;
  }
  pg_wall_clock_earliest(&board_clock, earliest_s);
  uint32_t chip_s = board_clock_chip();
  if (chip_s == 0 || pg_wall_clock_set(&board_clock, chip_s)) return;
  board_log("clock: the chip has lost the time\n");
}

uint32_t pg_clock_wall_s(void) { return pg_wall_clock_now(&board_clock); }
