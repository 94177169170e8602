/*
 * Record slots in the EEPROM. An EEPROM needs no erasing, but what the slots rest on is kept: an erased slot
 * holds nothing of its record.
 */
#include "records.h"

#include <string.h>

#include "board.h"

/* What was programmed is read back: only what is there counts. */
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

/* Only pages that hold anything are written: each page of an EEPROM wears by being written. */
static int erase_slot(void *context, int slot) {
  static const uint8_t blank[64] = {[0 ... 63] = 0xff};
  for (uint32_t at = 0; at < board_records.slot_bytes; at += sizeof blank) {
    if (holds(place(slot, at), blank, sizeof blank)) continue;
    if (!program_slot(context, slot, at, blank, sizeof blank)) return 0;
  }
  return 1;
}

const struct pg_medium board_records = {
    .slot_bytes = 8192, .read = read_slot, .program = program_slot, .erase = erase_slot};
