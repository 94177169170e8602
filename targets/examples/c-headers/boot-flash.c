/* The store of boot.h in flash (boot-flash.h): erased it holds no image, and then what was written. */
#include "boot-flash.h"

#include <string.h>

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

int main(void) {
  static struct ram ram;
  static struct ram record_ram;
  const struct pg_medium slots = {SLOT_BYTES, read_slot, program_slot, erase_slot, &ram, 1, 1};
  const struct pg_medium records = {SLOT_BYTES, read_slot, program_slot, erase_slot, &record_ram, 1, 1};
  /* Where the slots lie in memory, nothing is read into other memory. */
  struct pg_boot_flash flash = {&slots, &records, {ram.slots[0], ram.slots[1]}, {NULL, NULL}};
  struct pg_boot_store store = pg_boot_flash_store;
  const uint8_t *bytes = NULL;
  size_t size = 0;
  store.context = &flash;
  memset(ram.slots, 0xff, sizeof ram.slots);
  memset(record_ram.slots, 0xff, sizeof record_ram.slots);
  if (store.slot(store.context, 0, &bytes, &size) != PG_IMAGE_NONE) return 1;
  const uint8_t image[4] = {'P', 'G', 'I', 'M'};
  if (!store.write_slot(store.context, 0, image, sizeof image)) return 2;
  return store.slot(store.context, 0, &bytes, &size) == PG_IMAGE_OK && bytes == ram.slots[0] ? 0 : 3;
}
