/*
 * What the two record slots lie on, which every port brings: a file, an EEPROM, sectors of NOR flash.
 * Erasing makes every byte of a slot 0xff; programming writes bytes that are erased, each of them once.
 * All offsets count from the start of the slot.
 */
#ifndef PICOGRANT_MEDIUM_H
#define PICOGRANT_MEDIUM_H

#include <stddef.h>
#include <stdint.h>

struct pg_medium {
  /* Bytes of each slot: PG_SLOT_HEADER and the longest record. */
  uint32_t slot_bytes;
  /* Each returns 1, or 0 where it could not be done; `slot` is 0 or 1. */
  int (*read)(int slot, uint32_t at, uint8_t *into, size_t size);
  /* Durable once it returns 1. */
  int (*program)(int slot, uint32_t at, const uint8_t *bytes, size_t size);
  int (*erase)(int slot);
};

#endif
