/* The loader's page. Contract in page.h. */
#include "page.h"

#include <string.h>

#include "crc32.h"

enum { AT_CONTENT = 8 };

int loader_page_is_right(void) {
  const struct loader_page *page = &board_loader_page;
  const uint8_t *content = (const uint8_t *)page + AT_CONTENT;
  return memcmp(page->mark, "PGLP", sizeof page->mark) == 0 &&
         crc32_of(content, sizeof *page - AT_CONTENT) == page->crc &&
         page->product[sizeof page->product - 1] == 0 && page->key_count > 0 &&
         page->key_count <= PG_KEYS_MAX;
}
