/*
 * The flash that slots and boot record lie in: read in memory, programmed by pieces of a page, erased by
 * sectors. Programming only clears bits; erasing sets all of a sector's.
 */
#ifndef PICOGRANT_BOARD_FLASH_H
#define PICOGRANT_BOARD_FLASH_H

#include <stddef.h>
#include <stdint.h>

#include "map.h"

/* The sectors that the slots are made of. */
enum { FLASH_SECTOR_BYTES = MAP_SECTOR_BYTES, FLASH_PAGE_BYTES = 256 };

/* Each returns 1 once it is done and durable, or 0: out of range, or not what was to be. */
int flash_erase_sector(uintptr_t at);
int flash_program(uintptr_t at, const uint8_t *bytes, size_t size);

#endif
