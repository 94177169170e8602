/* Slots and boot record in the board's flash. Contract in slots.h. */
#include "slots.h"

#include <string.h>

#include "boot-flash.h"
#include "flash.h"
#include "map.h"

static const struct pg_image_target targets[] = {{"firmware", MAP_NAME "-a"},
                                                 {"firmware", MAP_NAME "-b"}};

static struct pg_image_rules *slot_rules __attribute__((section(".kept")));

static uintptr_t slot_at(int slot) { return slot == 0 ? MAP_SLOT_A_AT : MAP_SLOT_B_AT; }

static uintptr_t copy_at(int copy) { return copy == 0 ? MAP_RECORD_0_AT : MAP_RECORD_1_AT; }

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  memcpy(into, loader_slot(slot) + at, size);
  return 1;
}

static int read_copy(void *context, int copy, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  memcpy(into, (const uint8_t *)copy_at(copy) + at, size);
  return 1;
}

static int program_copy(void *context, int copy, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  return flash_program(copy_at(copy) + at, bytes, size);
}

static int erase_copy(void *context, int copy) {
  (void)context;
  return flash_erase_sector(copy_at(copy));
}

/* A slot is written in pieces (loader_slot_write), never whole out of RAM. */
static const struct pg_medium slots = {.slot_bytes = MAP_SLOT_BYTES, .read = read_slot};
static const struct pg_medium records = {
    .slot_bytes = FLASH_SECTOR_BYTES, .read = read_copy, .program = program_copy, .erase = erase_copy};

static const struct pg_boot_flash flash = {
    .slots = &slots,
    .records = &records,
    .mapped = {(const uint8_t *)MAP_SLOT_A_AT, (const uint8_t *)MAP_SLOT_B_AT},
};

static enum pg_image_result show_slot(void *context, int slot, const uint8_t **bytes,
                                      size_t *size) {
  slot_rules->targets = &targets[slot];
  return pg_boot_flash_store.slot(context, slot, bytes, size);
}

void loader_slots_open(struct pg_boot_store *store, struct pg_image_rules *rules) {
  slot_rules = rules;
  rules->targets = &targets[0];
  rules->target_count = 1;
  rules->limit = MAP_SLOT_BYTES;
  *store = pg_boot_flash_store;
  store->context = (void *)(uintptr_t)&flash;
  store->slot = show_slot;
  store->write_slot = NULL;
}

const uint8_t *loader_slot(int slot) { return (const uint8_t *)slot_at(slot); }

/* Each sector is erased when the first of its bytes comes. */
static int write_area(uintptr_t area, size_t capacity, uint32_t at, const uint8_t *bytes,
                      size_t size) {
  if (at > capacity || size > capacity - at) return 0;
  while (size > 0) {
    uintptr_t place = area + at;
    size_t count = FLASH_SECTOR_BYTES - place % FLASH_SECTOR_BYTES;
    if (count > size) count = size;
    if (place % FLASH_SECTOR_BYTES == 0 && !flash_erase_sector(place)) return 0;
    if (!flash_program(place, bytes, count)) return 0;
    at += (uint32_t)count;
    bytes += count;
    size -= count;
  }
  return 1;
}

int loader_slot_write(int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  return write_area(slot_at(slot), MAP_SLOT_BYTES, at, bytes, size);
}

static uintptr_t settings_at(int slot) { return slot == 0 ? MAP_SETTINGS_0_AT : MAP_SETTINGS_1_AT; }

const uint8_t *loader_settings_slot(int slot) { return (const uint8_t *)settings_at(slot); }

int loader_settings_write(int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  return write_area(settings_at(slot), MAP_SETTINGS_BYTES, at, bytes, size);
}
