#include "page.h"

#include <string.h>

#include "address.h"

/* The unread part of the page. A size that is too large makes the page invalid. All later reads are then empty. */
struct page_reader {
  const uint8_t *at;
  size_t left;
  int is_invalid;
};

static const uint8_t *page_take(struct page_reader *reader, size_t size) {
  static const uint8_t nothing[4];
  if (size > reader->left) reader->is_invalid = 1;
  if (reader->is_invalid) return nothing;
  const uint8_t *bytes = reader->at;
  reader->at += size;
  reader->left -= size;
  return bytes;
}

static uint32_t page_take_number(struct page_reader *reader, size_t size) {
  const uint8_t *bytes = page_take(reader, size);
  uint32_t number = 0;
  for (size_t i = 0; i < size && !reader->is_invalid; i++) number |= (uint32_t)bytes[i] << (8 * i);
  return number;
}

static const char *page_take_text(struct page_reader *reader) {
  const void *end = reader->is_invalid ? NULL : memchr(reader->at, 0, reader->left);
  if (!end) {
    reader->is_invalid = 1;
    return "";
  }
  return (const char *)page_take(reader, (size_t)((const uint8_t *)end - reader->at) + 1);
}

/* The member in which a number of the page is stored, and the number's range. */
struct range {
  size_t offset;
  uint32_t low;
  uint32_t high;
};

static void take_numbers(struct page_reader *reader, struct pg_settings *settings, uint32_t memory_max) {
#define SETTING(field) offsetof(struct pg_settings, field)
  const struct range ranges[PG_PAGE_NUMBERS] = {
      [PG_PAGE_COLUMNS] = {SETTING(columns), 16, 80},
      [PG_PAGE_ROWS] = {SETTING(rows), 2, 8},
      [PG_PAGE_MEMORY_BYTES] = {SETTING(memory_bytes), 2048, memory_max},
      [PG_PAGE_CONNECT_SECONDS] = {SETTING(connect_seconds), 1, 60},
      [PG_PAGE_EXCHANGE_SECONDS] = {SETTING(exchange_seconds), 1, 110},
      [PG_PAGE_RESPONSE_BYTES] = {SETTING(response_bytes), 1024, 1048576},
      [PG_PAGE_RENEWALS] = {SETTING(renewals), 0, 1000},
      [PG_PAGE_START_SPREAD_MS] = {SETTING(start_spread_ms), 0, 3600000},
      [PG_PAGE_AUTO_START] = {SETTING(auto_start), 0, 1},
      [PG_PAGE_CLIENT_AUTHENTICATION] = {SETTING(client_authentication), 0, PG_CLIENT_AUTHENTICATION_SPECIFICATION},
      [PG_PAGE_PKCE] = {SETTING(pkce), 0, 1},
      [PG_PAGE_JSON_BODIES] = {SETTING(json_bodies), 0, 1},
  };
  for (int i = 0; i < PG_PAGE_NUMBERS; i++) {
    uint32_t number = page_take_number(reader, 4);
    if (number < ranges[i].low || number > ranges[i].high) reader->is_invalid = 1;
    *(int *)(void *)((char *)settings + ranges[i].offset) = (int)number;
  }
  /* In the page, 0 means no random wait before the first request. PG_START_AT_ONCE means this in struct pg_settings. */
  if (settings->start_spread_ms == 0) settings->start_spread_ms = PG_START_AT_ONCE;
}

/* Whether the address is "", or uses https, or http to this device. */
static int is_safe(const char *text) {
  struct pg_address address;
  if (!*text) return 1;
  return pg_address_split(text, &address) && (address.peer.is_secure || pg_address_is_own(&address));
}

static void take_texts(struct page_reader *reader, struct pg_page *page) {
  struct pg_settings *settings = &page->settings;
  const char **const places[PG_PAGE_ADDRESS] = {
      [PG_PAGE_CLIENT_ID] = &settings->client_id,
      [PG_PAGE_CLIENT_SECRET] = &settings->client_secret,
      [PG_PAGE_SCOPE] = &settings->scope,
      [PG_PAGE_DEVICE_PARAMETERS] = &settings->device_parameters,
      [PG_PAGE_TOKEN_PARAMETERS] = &settings->token_parameters,
      [PG_PAGE_MESSAGES] = &settings->messages,
      [PG_PAGE_REASONS] = &settings->reasons,
      [PG_PAGE_SERVER] = &settings->server,
      [PG_PAGE_USER_AGENT] = &settings->user_agent,
      [PG_PAGE_GRANT_HEADERS] = &settings->grant_headers,
      [PG_PAGE_RESOURCE_HEADERS] = &settings->resource_headers,
      [PG_PAGE_DIRECTORY] = &page->directory,
  };
  for (int i = 0; i < PG_PAGE_ADDRESS; i++) *places[i] = page_take_text(reader);
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) {
    settings->addresses[i] = page_take_text(reader);
    if (!is_safe(settings->addresses[i])) reader->is_invalid = 1;
  }
  if (!*settings->client_id || !*settings->addresses[PG_ENDPOINT_TOKEN]) reader->is_invalid = 1;
}

/* Reads a size, which is a number of `size_bytes` bytes, and then as many bytes as the size says. */
static struct pg_page_bytes take_bytes(struct page_reader *reader, size_t size_bytes) {
  size_t size = page_take_number(reader, size_bytes);
  const uint8_t *bytes = page_take(reader, size);
  return (struct pg_page_bytes){bytes, reader->is_invalid ? 0 : size};
}

/* Reads the position and size of a part of a certificate. */
static struct pg_page_bytes take_part(struct page_reader *reader, struct pg_page_bytes whole) {
  size_t at = page_take_number(reader, 2);
  size_t size = page_take_number(reader, 2);
  if (at > whole.size || size > whole.size - at) reader->is_invalid = 1;
  if (reader->is_invalid) return (struct pg_page_bytes){NULL, 0};
  return (struct pg_page_bytes){whole.bytes + at, size};
}

static void take_authority(struct page_reader *reader, struct pg_page_authority *authority) {
  authority->certificate = take_bytes(reader, 2);
  authority->curve = (int)page_take_number(reader, 1);
  authority->name = take_part(reader, authority->certificate);
  authority->key = take_part(reader, authority->certificate);
  authority->exponent = take_part(reader, authority->certificate);
}

static int page_is_blank(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < PG_PAGE_HEAD && i < size; i++) {
    if (bytes[i] != 0xff) return 0;
  }
  return 1;
}

const char *pg_page_problem(enum pg_page_result result) {
  static const char *const problems[] = {
      [PG_PAGE_OK] = "",
      [PG_PAGE_EMPTY] = "is not programmed",
      [PG_PAGE_DAMAGED] = "is damaged",
      [PG_PAGE_MALFORMED] = "has another layout, or a number out of its range",
  };
  return problems[result];
}

/* Computes bit by bit, because a table would need more flash, and a page is only read at the start. */
uint32_t pg_page_checksum(const uint8_t *bytes, size_t size) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

enum pg_page_result pg_page_read(struct pg_page *page, const uint8_t *bytes, size_t size, int memory_max) {
  struct page_reader reader = {bytes, size, 0};
  *page = (struct pg_page){.made_s = 0};
  if (page_is_blank(bytes, size)) return PG_PAGE_EMPTY;
  int is_page = memcmp(page_take(&reader, 4), "PGS1", 4) == 0;
  size_t length = page_take_number(&reader, 4);
  uint32_t checksum = page_take_number(&reader, 4);
  if (!is_page || reader.is_invalid || length > reader.left) return PG_PAGE_DAMAGED;
  if (pg_page_checksum(reader.at, length) != checksum) return PG_PAGE_DAMAGED;
  reader.left = length;
  page->made_s = page_take_number(&reader, 4);
  take_numbers(&reader, &page->settings, (uint32_t)memory_max);
  take_texts(&reader, page);
  page->seed = take_bytes(&reader, 1);
  page->key = take_bytes(&reader, 1);
  page->authority_count = page_take_number(&reader, 2);
  if (page->authority_count > PG_PAGE_AUTHORITIES) reader.is_invalid = 1;
  for (size_t i = 0; i < page->authority_count && !reader.is_invalid; i++) {
    take_authority(&reader, &page->authorities[i]);
  }
  page->time_server = reader.left > 0 ? page_take_text(&reader) : "";
#ifdef PG_KEYS
  if (reader.left > 0) {
    uint32_t uses = page_take_number(&reader, 1);
    page->settings.dpop = uses & 1;
    page->settings.private_key_jwt = uses >> 1 & 3;
    page->signing_key = take_bytes(&reader, 1);
  }
#endif
  return reader.is_invalid || reader.left > 0 ? PG_PAGE_MALFORMED : PG_PAGE_OK;
}

int pg_page_choose(struct pg_page *page, const struct pg_page_bytes areas[PG_PAGE_AREAS], int memory_max,
                   enum pg_page_result results[PG_PAGE_AREAS]) {
  int chosen = -1;
  uint32_t made_s = 0;
  for (int area = 0; area < PG_PAGE_AREAS; area++) {
    results[area] = pg_page_read(page, areas[area].bytes, areas[area].size, memory_max);
    if (results[area] != PG_PAGE_OK || (chosen >= 0 && page->made_s <= made_s)) continue;
    chosen = area;
    made_s = page->made_s;
  }
  *page = (struct pg_page){.made_s = 0};
  if (chosen >= 0) (void)pg_page_read(page, areas[chosen].bytes, areas[chosen].size, memory_max);
  return chosen;
}
