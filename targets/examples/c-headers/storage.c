/* Records in two slots (storage.h), over a medium in RAM. */
#include "storage.h"

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
  const struct pg_medium medium = {SLOT_BYTES, read_slot, program_slot, erase_slot, &ram, 1, 1};
  const uint8_t record[3] = {7, 8, 9};
  uint8_t back[SLOT_BYTES];
  if (pg_storage_room(&medium) != SLOT_BYTES - PG_SLOT_HEADER) return 1;
  if (!pg_storage_erase(&medium, 1) || pg_storage_read(&medium, 1, back, sizeof back) != 0) return 2;
  if (!pg_storage_write(&medium, 1, record, sizeof record)) return 3;
  if (pg_storage_read(&medium, 1, back, sizeof back) != 3) return 4;
  /* A device without a medium keeps nothing. */
  return back[2] == 9 && !pg_storage_write(NULL, 1, record, sizeof record) ? 0 : 5;
}
