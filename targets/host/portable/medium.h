/*
 * What the two record slots lie on, which every port brings: a file, an EEPROM, sectors of NOR flash.
 * Erasing makes every byte of a slot 0xff; programming writes bytes that are erased, each unit of them once.
 * All offsets count from the start of the slot.
 *
 * Flash is read, programmed and erased in units: an EEPROM in bytes, an STM32 L4 programs 8 bytes at once, a U5
 * 16, an H7 32, a page of external NOR 256. The medium says which, and whoever uses it keeps to that: every offset
 * and size of a call is a multiple of the unit. Where the bytes lie in RAM, and how they are aligned there, is open.
 */
#ifndef PICOGRANT_MEDIUM_H
#define PICOGRANT_MEDIUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. After anything but DONE nothing is known of the bytes that it was about. */
enum pg_medium_result {
  PG_MEDIUM_FAILED = 0,  /* the medium does not answer, or says that it could not; the next call may succeed */
  PG_MEDIUM_DONE = 1,
  PG_MEDIUM_CORRUPT = 2, /* reading: the bits there are none (ECC), as after a cut in the middle of programming */
  PG_MEDIUM_WORN = 3     /* writing: worn out or locked; trying again does not help */
};

/* The longest unit of reading and programming. */
enum { PG_MEDIUM_UNIT_MAX = 256 };

struct pg_medium {
  /* Bytes of each slot: the header, pg_storage_header of them, and the longest record. */
  uint32_t slot_bytes;
  /* Each returns an enum pg_medium_result; `slot` is 0 or 1, `context` the one below. */
  int (*read)(void *context, int slot, uint32_t at, uint8_t *into, size_t size);
  /* Durable once it returns DONE. */
  int (*program)(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size);
  int (*erase)(void *context, int slot);
  /* Handed to each call: where one program has several media of a kind. */
  void *context;
  /* Powers of two, 1 to PG_MEDIUM_UNIT_MAX; 0 means 1. A slot is a whole number of each. */
  uint16_t read_unit;
  uint16_t program_unit;
};

#ifdef __cplusplus
}
#endif

#endif
