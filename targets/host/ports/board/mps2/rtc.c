/*
 * The time of day, without which no certificate can be judged: from a DS1338 with a battery, or where that has lost
 * it from a time server. Whoever can answer in a time server's place could set the clock back to when a stolen
 * certificate was good. So what it says is a hint: it must not be before the earliest time that it can be, and it is
 * kept only once a server's certificate has been good at it. The earliest time goes on with each confirmation: it
 * lies in the EEPROM, once a day at the most.
 */
#include <string.h>

#include "board.h"
#include "picogrant-port.h"

enum { DEVICE = 0x68, CLOCK_STOPPED = 0x80, ASK_AGAIN_MS = 43200000, DAY_S = 86400 };
/* In the EEPROM: the time that was confirmed last, and its complement. */
enum { EARLIEST_AT = BOARD_EEPROM_BYTES - 128 };

static struct {
  uint32_t wall_s; /* 0: unknown */
  uint32_t at_ms;
  uint32_t earliest_s;
  uint32_t chip_s; /* what the chip said last; 0: nothing */
  uint8_t is_sure;
} reading;

static uint32_t from_bcd(uint8_t byte) { return (uint32_t)(byte >> 4) * 10 + (byte & 15); }

static uint8_t to_bcd(uint32_t number) { return (uint8_t)(number / 10 << 4 | number % 10); }

/* Days from 1 January 1970; the chip knows the years 2000 to 2099. */
static uint32_t days_of(uint32_t year, uint32_t month, uint32_t day) {
  static const uint16_t before_month[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  uint32_t leap_days = (year + 3) / 4 + (year % 4 == 0 && month > 2);
  return 10957 + year * 365 + leap_days + before_month[month - 1] + day - 1;
}

/* Seconds since 1970 as the chip has them; 0 where it does not answer, or has stood still. */
static uint32_t read_chip(void) {
  static const uint8_t first = 0;
  uint8_t registers[7];
  if (!board_i2c_read(DEVICE, &first, 1, registers, sizeof registers)) return 0;
  if (registers[0] & CLOCK_STOPPED) return 0;
  uint32_t second = from_bcd(registers[0] & 0x7f);
  uint32_t minute = from_bcd(registers[1]);
  uint32_t hour = from_bcd(registers[2] & 0x3f);
  uint32_t day = from_bcd(registers[4]);
  uint32_t month = from_bcd(registers[5]);
  uint32_t year = from_bcd(registers[6]);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23) return 0;
  return days_of(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second;
}

static void set_chip(uint32_t wall_s) {
  static const uint8_t first = 0;
  uint32_t days = wall_s / DAY_S;
  uint32_t year = 0;
  uint32_t month = 12;
  while (year < 99 && days_of(year + 1, 1, 1) <= days) year++;
  while (month > 1 && days_of(year, month, 1) > days) month--;
  uint32_t day = days - days_of(year, month, 1) + 1;
  uint32_t seconds = wall_s % DAY_S;
  const uint8_t registers[7] = {to_bcd(seconds % 60),
                                to_bcd(seconds / 60 % 60),
                                to_bcd(seconds / 3600),
                                (uint8_t)((days + 4) % 7 + 1),
                                to_bcd(day),
                                to_bcd(month),
                                to_bcd(year)};
  (void)board_i2c_write(DEVICE, &first, 1, registers, sizeof registers);
}

static uint32_t confirmed_last(void) {
  uint32_t kept[2];
  if (!board_eeprom_read(EARLIEST_AT, (uint8_t *)kept, sizeof kept)) return 0;
  return kept[0] == ~kept[1] ? kept[0] : 0;
}

void board_clock_read(uint32_t earliest_s) {
  uint32_t kept_s = confirmed_last();
  if (earliest_s > reading.earliest_s) reading.earliest_s = earliest_s;
  if (kept_s > reading.earliest_s) reading.earliest_s = kept_s;
  uint32_t chip_s = read_chip();
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
    set_chip(now);
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
