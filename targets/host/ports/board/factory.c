/* What the maker sets. Contract and layout in factory.h. */
#include "factory.h"

#include <string.h>

#include "address.h"
#include "board.h"
#include "crc32.h"
#include "map.h"

enum { ANCHORS_MAX = 8, HEAD = 12, ANCHORS_AS_BEFORE = 0xffff };
enum { KIND_RSA = 1, KIND_EC = 2 };
#define AS_BEFORE 0xffffffffu

extern const uint8_t board_factory_page[];

static br_x509_trust_anchor anchors[ANCHORS_MAX];

/* What is left to read; a size that is too large makes it bad, and everything read from then on is empty. */
struct reader {
  const uint8_t *at;
  size_t left;
  int is_bad;
};

static const uint8_t *take(struct reader *reader, size_t size) {
  static const uint8_t nothing[4];
  if (size > reader->left) reader->is_bad = 1;
  if (reader->is_bad) return nothing;
  const uint8_t *bytes = reader->at;
  reader->at += size;
  reader->left -= size;
  return bytes;
}

static uint32_t take_number(struct reader *reader, size_t size) {
  const uint8_t *bytes = take(reader, size);
  uint32_t number = 0;
  for (size_t i = 0; i < size; i++) number |= (uint32_t)bytes[i] << (8 * i);
  return number;
}

/* BearSSL does not write to an anchor, but does not say so in its types. */
static unsigned char *take_bytes(struct reader *reader, size_t *size) {
  *size = take_number(reader, 2);
  const uint8_t *bytes = take(reader, *size);
  if (reader->is_bad) *size = 0;
  return (unsigned char *)(uintptr_t)bytes;
}

static void take_anchor(struct reader *reader, br_x509_trust_anchor *anchor) {
  anchor->flags = BR_X509_TA_CA;
  anchor->dn.data = take_bytes(reader, &anchor->dn.len);
  switch (take_number(reader, 1)) {
    case KIND_RSA:
      anchor->pkey.key_type = BR_KEYTYPE_RSA;
      anchor->pkey.key.rsa.n = take_bytes(reader, &anchor->pkey.key.rsa.nlen);
      anchor->pkey.key.rsa.e = take_bytes(reader, &anchor->pkey.key.rsa.elen);
      break;
    case KIND_EC:
      anchor->pkey.key_type = BR_KEYTYPE_EC;
      anchor->pkey.key.ec.curve = (int)take_number(reader, 1);
      anchor->pkey.key.ec.q = take_bytes(reader, &anchor->pkey.key.ec.qlen);
      break;
    default:
      reader->is_bad = 1;
  }
}

/* The page's content, or a bad reader where there is none. */
static struct reader open_page(const uint8_t *bytes, size_t capacity) {
  struct reader page = {bytes, capacity, 0};
  int is_page = memcmp(take(&page, 4), "PGF2", 4) == 0;
  size_t size = take_number(&page, 4);
  uint32_t crc = take_number(&page, 4);
  page.is_bad |= !is_page || size > page.left || crc32_of(page.at, size) != crc;
  page.left = page.is_bad ? 0 : size;
  return page;
}

/* A text up to its 0, or what there was before it. */
static const char *take_text(struct reader *reader, const char *before) {
  const char *text = (const char *)reader->at;
  const void *end = reader->is_bad ? NULL : memchr(text, 0, reader->left);
  if (!end) {
    reader->is_bad = 1;
    return "";
  }
  (void)take(reader, (size_t)((const char *)end - text) + 1);
  if (text[0] != 1 || text[1] != 0) return text;
  if (!before) reader->is_bad = 1;
  return before ? before : "";
}

/* A number of the table below: where it belongs, and what it may be. */
struct range {
  size_t offset;
  uint32_t low;
  uint32_t high;
};

static void take_numbers(struct reader *reader, struct pg_settings *settings, int is_first) {
#define AT(field) offsetof(struct pg_settings, field)
  static const struct range ranges[FACTORY_NUMBERS] = {
      [FACTORY_COLUMNS] = {AT(columns), 16, 80},
      [FACTORY_ROWS] = {AT(rows), 2, 8},
      [FACTORY_MEMORY_BYTES] = {AT(memory_bytes), 2048, PG_MEMORY_MAX},
      [FACTORY_CONNECT_SECONDS] = {AT(connect_seconds), 1, 60},
      [FACTORY_EXCHANGE_SECONDS] = {AT(exchange_seconds), 1, 110},
      [FACTORY_ANSWER_BYTES] = {AT(answer_bytes), 1024, 1048576},
      [FACTORY_RENEWALS] = {AT(renewals), 0, 1000},
      [FACTORY_AUTO_START] = {AT(auto_start), 0, 1},
      [FACTORY_CLIENT_AUTHENTICATION] = {AT(client_authentication), 0, PG_CLIENT_AUTHENTICATION_DOCUMENTS},
  };
#undef AT
  for (int i = 0; i < FACTORY_NUMBERS; i++) {
    uint32_t number = take_number(reader, 4);
    if (number == AS_BEFORE && !is_first) continue;
    if (i == FACTORY_CLIENT_AUTHENTICATION) {
      settings->pkce = (number & FACTORY_PKCE) != 0;
      settings->json_bodies = (number & FACTORY_JSON_BODIES) != 0;
      number &= ~(uint32_t)(FACTORY_PKCE | FACTORY_JSON_BODIES);
    }
    if (number < ranges[i].low || number > ranges[i].high) reader->is_bad = 1;
    *(int *)(void *)((char *)settings + ranges[i].offset) = (int)number;
  }
}

static void take_texts(struct reader *reader, struct factory *factory, int is_first) {
  struct pg_settings *settings = &factory->settings;
  const char **const places[FACTORY_ADDRESS] = {
      [FACTORY_CLIENT_ID] = &settings->client_id,
      [FACTORY_CLIENT_SECRET] = &settings->client_secret,
      [FACTORY_SCOPE] = &settings->scope,
      [FACTORY_DEVICE_PARAMETERS] = &settings->device_parameters,
      [FACTORY_TOKEN_PARAMETERS] = &settings->token_parameters,
      [FACTORY_MESSAGES] = &settings->messages,
      [FACTORY_REASONS] = &settings->reasons,
      [FACTORY_SERVER] = &settings->server,
      [FACTORY_USER_AGENT] = &settings->user_agent,
      [FACTORY_GRANT_HEADERS] = &settings->grant_headers,
      [FACTORY_RESOURCE_HEADERS] = &settings->resource_headers,
      [FACTORY_UPDATES] = &factory->updates,
  };
  for (int i = 0; i < FACTORY_TEXTS; i++) {
    const char **place = i < FACTORY_ADDRESS ? places[i] : &settings->addresses[i - FACTORY_ADDRESS];
    *place = take_text(reader, is_first ? NULL : *place);
    if (i < FACTORY_ADDRESS || reader->is_bad || !**place) continue;
    struct pg_address address;
    /* Tokens go over TLS, or do not leave the device. */
    int is_good = pg_address_split(*place, &address) && address.peer.is_secure;
    if (!is_good) reader->is_bad = 1;
  }
}

/* What is read goes to `factory` only where all of it is right. NULL, or what is wrong. */
static const char *read_page(struct factory *factory, const uint8_t *bytes, size_t capacity,
                             int is_first) {
  struct factory read = *factory;
  struct reader page = open_page(bytes, capacity);
  if (page.is_bad) return "is not programmed, or damaged";
  read.made_s = take_number(&page, 4);
  take_numbers(&page, &read.settings, is_first);
  take_texts(&page, &read, is_first);
  size_t count = take_number(&page, 2);
  if (!page.is_bad && count == ANCHORS_AS_BEFORE && !is_first) {
    *factory = read;
    return NULL;
  }
  if (page.is_bad || count > ANCHORS_MAX) return "has another layout, or a number out of its range";
  /* Twice: the anchors of the page before stay until all of these are known to be right. */
  struct reader ahead = page;
  br_x509_trust_anchor unused;
  for (size_t i = 0; i < count; i++) take_anchor(&ahead, &unused);
  if (ahead.is_bad || ahead.left != 0) return "has another layout";
  for (size_t i = 0; i < count; i++) take_anchor(&page, &anchors[i]);
  read.trust = (struct board_trust){anchors, count};
  *factory = read;
  return NULL;
}

const char *factory_open(struct factory *factory, const uint8_t *later, size_t size) {
  const char *why = read_page(factory, board_factory_page, MAP_FACTORY_PAGE_BYTES, 1);
  if (why || size == 0) return why;
  const char *problem = read_page(factory, later, size, 0);
  if (problem) {
    board_log("later settings: the page ");
    board_log(problem);
    board_log("\n");
  }
  return NULL;
}
