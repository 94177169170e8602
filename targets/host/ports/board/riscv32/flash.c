/* The flash of slots and boot record. Contract in flash.h. */
#include "flash.h"

#include "cfi.h"

static int is_flash(uintptr_t at, size_t size) {
  return at >= MAP_FLASH_AT && at <= MAP_FLASH_END && size <= MAP_FLASH_END - at;
}

int flash_erase_sector(uintptr_t at) {
  return at % FLASH_SECTOR_BYTES == 0 && is_flash(at, FLASH_SECTOR_BYTES) && cfi_erase_sector(at);
}

int flash_program(uintptr_t at, const uint8_t *bytes, size_t size) {
  return is_flash(at, size) && cfi_program(at, bytes, size);
}
