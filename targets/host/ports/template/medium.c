/*
 * Where the records are: to be written over flash, an EEPROM or a file. Contract in medium.h, in short: two slots
 * that cannot harm each other (on flash: sectors of their own); erasing makes every byte 0xff; programming writes
 * erased bytes, each of them once, and is durable when it returns 1. The host's storage.h does the rest: it programs
 * the header last, so that a cut never leaves half a record that looks like one.
 *
 * Records hold tokens: encrypt the medium if it can be read out.
 */
#include "port.h"
#include "storage.h"

enum { SLOT_BYTES = 4096 + PG_SLOT_HEADER };

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  (void)slot;
  (void)at;
  (void)into;
  (void)size;
  return 0;
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  (void)slot;
  (void)at;
  (void)bytes;
  (void)size;
  return 0;
}

static int erase_slot(void *context, int slot) {
  (void)context;
  (void)slot;
  return 0;
}

/* read_unit and program_unit: what the part reads and programs at once, in bytes; left out: 1. */
const struct pg_medium port_medium = {
    .slot_bytes = SLOT_BYTES, .read = read_slot, .program = program_slot, .erase = erase_slot};
