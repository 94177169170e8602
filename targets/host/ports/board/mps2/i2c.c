/* The I2C bus, with clock and data on two open-drain pins that software drives. It has two chips. The 24C256 is an
 * EEPROM of 32 KiB, written in pages of 64 bytes. The DS1338 is the clock. */
#include "board.h"
#include "http-response.h"
#include "map.h"
#include "picogrant-port.h"
#include "registers.h"

enum { EEPROM = 0x50, WRITE_MS_MAX = 20 };
enum { CLOCK = 0x68, CLOCK_STOPPED = 0x80, DAY_S = 86400 };

static void clock_high(void) { I2C_RELEASE = I2C_CLOCK; }
static void clock_low(void) { I2C_PULL_LOW = I2C_CLOCK; }
static void data_high(void) { I2C_RELEASE = I2C_DATA; }
static void data_low(void) { I2C_PULL_LOW = I2C_DATA; }

/* Makes a start condition, or a repeated start during a transfer. */
static void start(void) {
  data_high();
  clock_high();
  data_low();
  clock_low();
}

static void stop(void) {
  data_low();
  clock_high();
  data_high();
}

static void put_bit(int bit) {
  if (bit) data_high();
  else data_low();
  clock_high();
  clock_low();
}

static int get_bit(void) {
  data_high();
  clock_high();
  int bit = (I2C_PINS & I2C_DATA) != 0;
  clock_low();
  return bit;
}

/* Returns 1 if the device has acknowledged. */
static int put_byte(uint8_t byte) {
  for (int mask = 0x80; mask; mask >>= 1) put_bit(byte & mask);
  return !get_bit();
}

static uint8_t get_byte(int is_last) {
  uint8_t byte = 0;
  for (int i = 0; i < 8; i++) byte = (uint8_t)((byte << 1) | get_bit());
  put_bit(is_last);
  return byte;
}

static int put_bytes(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (!put_byte(bytes[i])) return 0;
  }
  return 1;
}

static int begin(uint8_t device, int reads) {
  start();
  return put_byte((uint8_t)(device << 1 | reads));
}

int board_i2c_write(uint8_t device, const uint8_t *head, size_t head_size, const uint8_t *bytes,
                    size_t size) {
  int ok = begin(device, 0) && put_bytes(head, head_size) && put_bytes(bytes, size);
  stop();
  return ok;
}

int board_i2c_read(uint8_t device, const uint8_t *head, size_t head_size, uint8_t *bytes,
                   size_t size) {
  int ok = begin(device, 0) && put_bytes(head, head_size) && begin(device, 1);
  for (size_t i = 0; ok && i < size; i++) bytes[i] = get_byte(i + 1 == size);
  stop();
  return ok;
}

static void address_of(uint8_t head[2], size_t at) {
  head[0] = (uint8_t)(at >> 8);
  head[1] = (uint8_t)at;
}

int board_page_read(size_t at, uint8_t *bytes, size_t size) {
  uint8_t head[2];
  address_of(head, at);
  return board_i2c_read(EEPROM, head, sizeof head, bytes, size);
}

/* Waits while the chip writes, during which it does not respond. */
static int wait_until_written(void) {
  uint32_t began = pg_clock_ms();
  while (!board_i2c_write(EEPROM, NULL, 0, NULL, 0)) {
    if (pg_clock_ms() - began > WRITE_MS_MAX) return 0;
  }
  return 1;
}

int board_page_write(size_t at, const uint8_t *bytes, size_t size) {
  uint8_t head[2];
  address_of(head, at);
  return board_i2c_write(EEPROM, head, sizeof head, bytes, size) && wait_until_written();
}

static uint32_t from_bcd(uint8_t byte) { return (uint32_t)(byte >> 4) * 10 + (byte & 15); }

static uint8_t to_bcd(uint32_t number) { return (uint8_t)(number / 10 << 4 | number % 10); }

/* Returns the days since 1970 of a date. The chip stores the years 2000 to 2099 as two digits. */
static uint32_t days_of(uint32_t year, uint32_t month, uint32_t day) {
  return (uint32_t)pg_days_of(2000 + (int)year, (int)month, (int)day);
}

uint32_t board_clock_chip(void) {
  static const uint8_t first = 0;
  uint8_t registers[7];
  if (!board_i2c_read(CLOCK, &first, 1, registers, sizeof registers)) return 0;
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

void board_clock_set_chip(uint32_t wall_s) {
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
  (void)board_i2c_write(CLOCK, &first, 1, registers, sizeof registers);
}
