/*
 * The I2C bus: clock and data are two open-drain pins that software moves. A microcontroller with an I2C unit
 * of its own replaces this file.
 */
#include "board.h"
#include "mps2.h"

static void clock_high(void) { I2C_RELEASE = I2C_CLOCK; }
static void clock_low(void) { I2C_PULL_LOW = I2C_CLOCK; }
static void data_high(void) { I2C_RELEASE = I2C_DATA; }
static void data_low(void) { I2C_PULL_LOW = I2C_DATA; }

/* Also the repeated start in the middle of a transfer. */
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

/* 1 where the device has acknowledged. */
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
