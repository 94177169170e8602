/* The store of boot.h in flash (boot-flash.h): erased it holds no image, and then what was written. */
#include "boot-flash.h"

#include "ram-medium.h"

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
