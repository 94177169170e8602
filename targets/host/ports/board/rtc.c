/*
 * The clock chip, a DS1338 with a battery: the time of day, without which no certificate can be judged. It is
 * read once; after that the board's own clock counts on, and the chip is asked again twice a day.
 */
#include "board.h"
#include "clock.h"

enum { DEVICE = 0x68, CLOCK_STOPPED = 0x80, ASK_AGAIN_MS = 43200000 };

static struct {
  uint32_t wall_s; /* 0: unknown */
  uint32_t at_ms;
} reading;

static uint32_t from_bcd(uint8_t byte) { return (uint32_t)(byte >> 4) * 10 + (byte & 15); }

/* Days from 1 January 1970; the chip knows the years 2000 to 2099. */
static uint32_t days_of(uint32_t year, uint32_t month, uint32_t day) {
  static const uint16_t before_month[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  uint32_t leap_days = (year + 3) / 4 + (year % 4 == 0 && month > 2);
  return 10957 + year * 365 + leap_days + before_month[month - 1] + day - 1;
}

void board_rtc_open(void) {
  static const uint8_t first = 0;
  uint8_t registers[7];
  reading.at_ms = pg_clock_ms();
  reading.wall_s = 0;
  if (!board_i2c_read(DEVICE, &first, 1, registers, sizeof registers)) return;
  if (registers[0] & CLOCK_STOPPED) return;
  uint32_t second = from_bcd(registers[0] & 0x7f);
  uint32_t minute = from_bcd(registers[1]);
  uint32_t hour = from_bcd(registers[2] & 0x3f);
  uint32_t day = from_bcd(registers[4]);
  uint32_t month = from_bcd(registers[5]);
  uint32_t year = from_bcd(registers[6]);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23) return;
  reading.wall_s = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}

uint32_t pg_clock_wall_s(void) {
  if (pg_clock_ms() - reading.at_ms > ASK_AGAIN_MS) board_rtc_open();
  return reading.wall_s ? reading.wall_s + (pg_clock_ms() - reading.at_ms) / 1000 : 0;
}
