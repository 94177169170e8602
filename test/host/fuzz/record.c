/*
 * Fuzzes the record slots over a medium that holds anything: what is read fits, and what is written is read
 * again. The first byte says how much room the reader has, and whether the harness completes the header: nobody
 * guesses the complement of a length.
 */
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "storage.h"

enum { SLOT = 96, COMPLETE_HEADER = 128 };

static uint8_t slots[2][SLOT];

static int is_within(int slot, uint32_t at, size_t size) {
  return (slot == 0 || slot == 1) && at <= SLOT && size <= SLOT - at;
}

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  check(is_within(slot, at, size), "a medium is used within its slots");
  memcpy(into, slots[slot] + at, size);
  return 1;
}

/* Flash: only erased bytes can be programmed. */
static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  check(is_within(slot, at, size), "a medium is used within its slots");
  for (size_t i = 0; i < size; i++) check(slots[slot][at + i] == 0xff, "only what is erased is programmed");
  memcpy(slots[slot] + at, bytes, size);
  return 1;
}

static int erase_slot(void *context, int slot) {
  (void)context;
  memset(slots[slot], 0xff, SLOT);
  return 1;
}

static const struct pg_medium medium = {
    .slot_bytes = SLOT, .read = read_slot, .program = program_slot, .erase = erase_slot};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 1) return 0;
  size_t room = (bytes[0] & (COMPLETE_HEADER - 1)) % (SLOT + 8);
  int completes = (bytes[0] & COMPLETE_HEADER) != 0;
  uint8_t *into = malloc(room + 1);
  bytes++;
  size--;
  memset(slots, 0xff, sizeof slots);
  /* A record of before: what is written anew must be erased first. */
  memset(slots[1], 0, SLOT);
  memcpy(slots[0], bytes, size < SLOT ? size : SLOT);
  if (completes) {
    memcpy(slots[0], "PGFS", 4);
    slots[0][6] = (uint8_t)~slots[0][4];
    slots[0][7] = (uint8_t)~slots[0][5];
  }
  int length = pg_storage_read(&medium, 0, into, room);
  check(length >= -1 && length <= (int)room, "what is read has room");
  check(length != 0 || memchr(slots[0], 0xff, SLOT) == slots[0], "only an erased slot is empty");
  int fits = size > 0 && size <= SLOT - PG_SLOT_HEADER;
  check(pg_storage_write(&medium, 1, bytes, size) == fits, "what fits is written, and nothing else");
  if (fits && size <= room) {
    check(pg_storage_read(&medium, 1, into, room) == (int)size, "what is written is read");
    check(memcmp(into, bytes, size) == 0, "what is written is read");
  }
  check(pg_storage_erase(&medium, 1) && pg_storage_read(&medium, 1, into, room) == 0, "what is erased is gone");
  free(into);
  return 0;
}
