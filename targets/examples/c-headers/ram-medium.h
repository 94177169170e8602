/* A medium of two slots in RAM, for the examples here: nothing of it survives a restart. */
#ifndef RAM_MEDIUM_H
#define RAM_MEDIUM_H

#include <string.h>

#include "medium.h"

enum { SLOT_BYTES = 1024 };

struct ram {
  uint8_t slots[2][SLOT_BYTES];
};

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  struct ram *ram = (struct ram *)context;
  memcpy(into, ram->slots[slot] + at, size);
  return PG_MEDIUM_DONE;
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  struct ram *ram = (struct ram *)context;
  memcpy(ram->slots[slot] + at, bytes, size);
  return PG_MEDIUM_DONE;
}

static int erase_slot(void *context, int slot) {
  struct ram *ram = (struct ram *)context;
  memset(ram->slots[slot], 0xff, SLOT_BYTES);
  return PG_MEDIUM_DONE;
}

#endif
