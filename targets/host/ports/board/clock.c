/*
 * The time of day, without which no certificate can be judged: from a clock chip with a battery, or where there is
 * none, or it has lost the time, from a time server. Whoever can answer in a time server's place could set the clock back to when a stolen
 * certificate was good. So what it says is a hint: it must not be before the earliest time that it can be, and it is
 * kept only once a server's certificate has been good at it. The earliest time goes on with each confirmation: it
 * lies in the EEPROM, once a day at the most.
 */
#include <string.h>

#include "board.h"
#include "map.h"
#include "picogrant-port.h"

enum { ASK_AGAIN_MS = 43200000, DAY_S = 86400 };
/* In the EEPROM: the time that was confirmed last, and its complement. */
enum { EARLIEST_AT = BOARD_EEPROM_BYTES - 2 * MAP_EEPROM_PAGE };

static struct {
  uint32_t wall_s; /* 0: unknown */
  uint32_t at_ms;
  uint32_t earliest_s;
  uint32_t chip_s; /* what the chip said last; 0: nothing */
  uint8_t is_sure;
} reading;

static uint32_t confirmed_last(void) {
  uint32_t kept[2];
  if (!board_eeprom_read(EARLIEST_AT, (uint8_t *)kept, sizeof kept)) return 0;
  return kept[0] == ~kept[1] ? kept[0] : 0;
}

void board_clock_read(uint32_t earliest_s) {
  uint32_t kept_s = confirmed_last();
  if (earliest_s > reading.earliest_s) reading.earliest_s = earliest_s;
  if (kept_s > reading.earliest_s) reading.earliest_s = kept_s;
  uint32_t chip_s = board_clock_chip();
  /* A chip that shows the same as before has stopped without saying so. */
  uint32_t passed_s = (pg_clock_ms() - reading.at_ms) / 1000;
  int stands_still = reading.chip_s != 0 && passed_s > 2 && chip_s < reading.chip_s + passed_s / 2;
  if (chip_s != 0 && chip_s >= reading.earliest_s && !stands_still) {
    reading.wall_s = chip_s;
    reading.is_sure = 1;
  } else {
    if (chip_s != 0) board_log("clock: the chip has stopped, or shows a time that is over\n");
    /* What was known goes on by the board's own clock. */
    if (reading.wall_s != 0) reading.wall_s += passed_s;
  }
  reading.chip_s = chip_s;
  reading.at_ms = pg_clock_ms();
}

void board_clock_hint(uint32_t wall_s) {
  if (reading.is_sure || wall_s < reading.earliest_s) return;
  reading.wall_s = wall_s;
  reading.at_ms = pg_clock_ms();
}

void board_clock_confirm(void) {
  uint32_t now = pg_clock_wall_s();
  if (now == 0) return;
  if (!reading.is_sure) {
    board_log("clock: confirmed by a certificate\n");
    board_clock_set_chip(now);
    reading.chip_s = 0;
  }
  reading.is_sure = 1;
  if (now < confirmed_last() + DAY_S) return;
  const uint32_t kept[2] = {now, ~now};
  (void)board_eeprom_write(EARLIEST_AT, (const uint8_t *)kept, sizeof kept);
}

void board_clock_refuse(void) {
  if (!reading.is_sure) reading.wall_s = 0;
}

int board_clock_is_sure(void) { return reading.is_sure; }

uint32_t pg_clock_wall_s(void) {
  if (pg_clock_ms() - reading.at_ms > ASK_AGAIN_MS) board_clock_read(0);
  return reading.wall_s ? reading.wall_s + (pg_clock_ms() - reading.at_ms) / 1000 : 0;
}
