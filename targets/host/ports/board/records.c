/* The record slots and the random seed in the board's EEPROM, or in the chip that replaces it. clock.c stores the time
 * in the same memory. An EEPROM need not be erased before a write, but erasing a slot must remove its record. */
#include <bearssl.h>
#include <string.h>

#include "board.h"
#include "map.h"
#include "picogrant-port.h"

/* Returns how many of `size` bytes are in the page at `at`; 0 if they go beyond the end of the memory. */
static size_t part_of_page(size_t at, size_t size) {
  size_t count = MAP_EEPROM_PAGE - at % MAP_EEPROM_PAGE;
  if (at + size > BOARD_EEPROM_BYTES) return 0;
  return count < size ? count : size;
}

int board_eeprom_read(size_t at, uint8_t *bytes, size_t size) {
  while (size > 0) {
    size_t count = part_of_page(at, size);
    if (count == 0 || !board_page_read(at, bytes, count)) return 0;
    at += count;
    bytes += count;
    size -= count;
  }
  return 1;
}

int board_eeprom_write(size_t at, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    size_t count = part_of_page(at, size);
    if (count == 0 || !board_page_write(at, bytes, count)) return 0;
    at += count;
    bytes += count;
    size -= count;
  }
  return 1;
}

/* Whether the memory has the bytes that were written. */
static int holds(size_t at, const uint8_t *bytes, size_t size) {
  uint8_t piece[64];
  int same = 1;
  while (size > 0 && same) {
    size_t count = size < sizeof piece ? size : sizeof piece;
    same = board_eeprom_read(at, piece, count) && memcmp(piece, bytes, count) == 0;
    at += count;
    bytes += count;
    size -= count;
  }
  memset(piece, 0, sizeof piece);
  return same;
}

static size_t place(int slot, uint32_t at) {
  return (size_t)slot * board_records.slot_bytes + at;
}

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  return board_eeprom_read(place(slot, at), into, size);
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  return board_eeprom_write(place(slot, at), bytes, size) && holds(place(slot, at), bytes, size);
}

/* Erases only pages with content, because each write wears the memory. */
static int erase_slot(void *context, int slot) {
  static const uint8_t blank[MAP_EEPROM_PAGE] = {[0 ... MAP_EEPROM_PAGE - 1] = 0xff};
  for (uint32_t at = 0; at < board_records.slot_bytes; at += sizeof blank) {
    if (holds(place(slot, at), blank, sizeof blank)) continue;
    if (!program_slot(context, slot, at, blank, sizeof blank)) return 0;
  }
  return 1;
}

const struct pg_medium board_records = {
    .slot_bytes = 8192, .read = read_slot, .program = program_slot, .erase = erase_slot};

/* Random numbers on a board without a generator. The settings page contains a seed, which is different on each board.
 * The EEPROM contains another one, which each start replaces, so that each start is different. Both seeds are combined
 * with the time of day. Without any seed, the board refuses TLS. If your board has a generator (RNG of an STM32,
 * esp_random of an ESP32), take the seed from it instead. */

enum { SEED_BYTES = 32, SEED_AT = BOARD_EEPROM_BYTES - MAP_EEPROM_PAGE };

static br_hmac_drbg_context generator;
static int is_seeded;

/* Whether the seed was never programmed: all its bytes are then equal. */
static int is_blank(const uint8_t *seed) {
  for (size_t i = 1; i < SEED_BYTES; i++) {
    if (seed[i] != seed[0]) return 0;
  }
  return 1;
}

int board_entropy_open(const uint8_t *given, size_t given_size) {
  uint8_t seed[SEED_BYTES];
  uint32_t now = pg_clock_wall_s();
  br_hmac_drbg_init(&generator, &br_sha256_vtable, &now, sizeof now);
  int has_stored = board_eeprom_read(SEED_AT, seed, sizeof seed) && !is_blank(seed);
  if (has_stored) br_hmac_drbg_update(&generator, seed, sizeof seed);
  int has_given = given_size >= SEED_BYTES;
  if (has_given) br_hmac_drbg_update(&generator, given, given_size);
  if (has_stored || has_given) {
    /* If the stored seed cannot be replaced, the next start would use it again. So the board refuses TLS. */
    br_hmac_drbg_generate(&generator, seed, sizeof seed);
    is_seeded = board_eeprom_write(SEED_AT, seed, sizeof seed);
  }
  memset(seed, 0, sizeof seed);
  return is_seeded;
}

int pg_random(uint8_t *bytes, size_t size) {
  if (!is_seeded) return 0;
  br_hmac_drbg_generate(&generator, bytes, size);
  return 1;
}
