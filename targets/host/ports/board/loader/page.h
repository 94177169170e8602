/*
 * The loader's page, which the factory programs once, beside the loader itself: which product this device is,
 * and whose images it runs. All numbers are little-endian:
 *
 *   "PGLP", u32 CRC-32 of what follows, and then
 *   the product, 32 characters at the most, filled with zeros to 36 bytes
 *   u32 least security counter, for a device with such a counter in hardware
 *   u32 number of keys, 1 to 4; the keys, 32 bytes each, oldest first
 *
 * targets/image/loader-page.ts writes it. On a real board the page lies where nothing that runs later can
 * write.
 */
#ifndef PICOGRANT_BOARD_LOADER_PAGE_H
#define PICOGRANT_BOARD_LOADER_PAGE_H

#include "image.h"

struct loader_page {
  char mark[4];
  uint32_t crc;
  char product[36];
  uint32_t counter_min;
  uint32_t key_count;
  uint8_t keys[PG_KEYS_MAX][PG_PUBLIC_KEY_BYTES];
};

extern const struct loader_page board_loader_page;

/* Whether it is programmed, and whole. */
int loader_page_is_right(void);

#endif
