/* A medium for records (medium.h): here in RAM, so nothing survives a restart. On a board it is flash or an EEPROM. */
#include "medium.h"

#include <string.h>

enum { SLOT_BYTES = 64 };

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

int main(void) {
  static struct ram ram;
  /* The two units at the end: this one reads and programs single bytes. */
  const struct pg_medium medium = {SLOT_BYTES, read_slot, program_slot, erase_slot, &ram, 1, 1};
  const uint8_t bytes[2] = {1, 2};
  uint8_t back[2];
  if (medium.erase(medium.context, 0) != PG_MEDIUM_DONE) return 1;
  if (medium.program(medium.context, 0, 8, bytes, sizeof bytes) != PG_MEDIUM_DONE) return 2;
  if (medium.read(medium.context, 0, 8, back, sizeof back) != PG_MEDIUM_DONE) return 3;
  return memcmp(bytes, back, sizeof back) == 0 ? 0 : 4;
}
