/* Fuzzes the parser of settings pages. The input is the content of a page, to which the fuzzer adds the head with the
 * right checksum. A second area has the same page, created one second later. Accepted values must follow settings.h and
 * be within the page. */
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "bound.h"
#include "page.h"

enum { MADE = 4 };

static const uint8_t *first, *end;

static void check_text(const char *text) {
  const uint8_t *bytes = (const uint8_t *)text;
  check(bytes >= first && bytes + strlen(text) < end, "a page ends where it says");
}

static void check_settings(const struct pg_settings *settings) {
  check_text(settings->client_id);
  check_text(settings->resource_headers);
  check(*settings->client_id && *settings->addresses[PG_ENDPOINT_TOKEN], "required values exist");
  check_numbers(settings);
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) {
    struct pg_address address;
    const char *value = settings->addresses[i];
    check_text(value);
    if (!*value) continue;
    check(pg_address_split(value, &address), "addresses are safe ones");
    check(address.peer.is_secure || pg_address_is_own(&address), "addresses are safe ones");
  }
}

static void check_part(struct pg_page_bytes part, struct pg_page_bytes whole) {
  check(part.bytes >= whole.bytes && part.bytes + part.size <= whole.bytes + whole.size, "parts lie in their certificate");
}

/* Checks that the page ends after its last part: the device's key, an authority, the time server or the signing key. */
static void check_end(const struct pg_page *page, const uint8_t *bytes, size_t size) {
  const uint8_t *last = page->key.bytes + page->key.size + 2;
  for (size_t i = 0; i < page->authority_count; i++) {
    const struct pg_page_authority *authority = &page->authorities[i];
    check_part(authority->name, authority->certificate);
    check_part(authority->key, authority->certificate);
    check_part(authority->exponent, authority->certificate);
    last = authority->certificate.bytes + authority->certificate.size + 13;
  }
  if ((const uint8_t *)page->time_server == last) last += strlen(page->time_server) + 1;
  if (page->signing_key.bytes) last = page->signing_key.bytes + page->signing_key.size;
  check(last == bytes + size, "a page ends where it says");
}

static void put_number(uint8_t *at, uint32_t number) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(number >> (8 * i));
}

static uint32_t number_at(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Allocates exactly the page's size, so that a read beyond its end is detected. */
static uint8_t *make_page(const uint8_t *content, size_t size, uint32_t later_s) {
  uint8_t *page = malloc(PG_PAGE_HEAD + size);
  memcpy(page, "PGS1", 4);
  memcpy(page + PG_PAGE_HEAD, content, size);
  put_number(page + PG_PAGE_HEAD, number_at(content) + later_s);
  put_number(page + 4, (uint32_t)size);
  put_number(page + 8, pg_page_checksum(page + PG_PAGE_HEAD, size));
  return page;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < MADE || number_at(bytes) == UINT32_MAX) return 0;
  uint8_t *older = make_page(bytes, size, 0);
  uint8_t *later = make_page(bytes, size, 1);
  const struct pg_page_bytes areas[PG_PAGE_AREAS] = {{older, PG_PAGE_HEAD + size}, {later, PG_PAGE_HEAD + size}};
  enum pg_page_result results[PG_PAGE_AREAS];
  struct pg_page page;
  int chosen = pg_page_choose(&page, areas, PG_MEMORY_MAX, results);
  check(chosen == (results[1] == PG_PAGE_OK ? 1 : -1), "the later good page counts");
  if (chosen == 1) {
    first = later;
    end = later + PG_PAGE_HEAD + size;
    check_settings(&page.settings);
    check_end(&page, later, PG_PAGE_HEAD + size);
  }
  free(older);
  free(later);
  return 0;
}
