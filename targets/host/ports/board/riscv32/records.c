/* Record slots in two sectors of the chip that the firmware does not run out of. */
#include "records.h"

#include <string.h>

#include "cfi.h"
#include "map.h"

enum { SLOT_BYTES = 8192, PROGRAM_UNIT = 4 };

static uintptr_t place(int slot, uint32_t at) {
  return (slot == 0 ? MAP_TOKENS_0_AT : MAP_TOKENS_1_AT) + at;
}

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  memcpy(into, (const void *)place(slot, at), size);
  return PG_MEDIUM_DONE;
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  return cfi_program(place(slot, at), bytes, size) ? PG_MEDIUM_DONE : PG_MEDIUM_FAILED;
}

static int erase_slot(void *context, int slot) {
  (void)context;
  return cfi_erase_sector(place(slot, 0)) ? PG_MEDIUM_DONE : PG_MEDIUM_FAILED;
}

const struct pg_medium board_records = {.slot_bytes = SLOT_BYTES,
                                        .read = read_slot,
                                        .program = program_slot,
                                        .erase = erase_slot,
                                        .program_unit = PROGRAM_UNIT};
