/* The page that the factory programs. Contract and layout in factory.h. */
#include "factory.h"

#include <string.h>

#include "config.h"
#include "crc32.h"
#include "map.h"

/* A device.json of 1.5 KiB, parameters of a quarter of it, and eight authorities are plenty; the script checks. */
enum { JSON_BYTES = 1536, ROOM_BYTES = 384, ANCHORS_MAX = 8, PAGE_BYTES = MAP_FACTORY_PAGE_BYTES };
enum { KIND_RSA = 1, KIND_EC = 2 };

extern const uint8_t board_factory_page[];

static struct pg_config config;
static char json[JSON_BYTES];
static char room[ROOM_BYTES];
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
static struct reader open_page(void) {
  struct reader page = {board_factory_page, 12, 0};
  int is_page = memcmp(take(&page, 4), "PGFP", 4) == 0;
  size_t size = take_number(&page, 4);
  uint32_t crc = take_number(&page, 4);
  page.left = size;
  page.is_bad = !is_page || size > PAGE_BYTES - 12 || crc32_of(page.at, size) != crc;
  return page;
}

/* A text that ends with a 0, which its size counts. */
static const char *take_text(struct reader *reader) {
  size_t size = take_number(reader, 2);
  const char *text = (const char *)take(reader, size);
  if (size == 0 || reader->is_bad || text[size - 1] != 0) reader->is_bad = 1;
  return reader->is_bad ? "" : text;
}

const char *factory_open(const struct pg_settings **settings, struct board_trust *trust,
                         const char **updates) {
  struct reader page = open_page();
  if (page.is_bad) return "is not programmed, or damaged";
  size_t size = take_number(&page, 4);
  const uint8_t *text = take(&page, size);
  trust->count = take_number(&page, 2);
  if (page.is_bad || size >= sizeof json || trust->count > ANCHORS_MAX) return "has another layout";
  for (size_t i = 0; i < trust->count; i++) take_anchor(&page, &anchors[i]);
  *updates = take_text(&page);
  if (page.is_bad) return "has another layout";
  trust->anchors = anchors;
  memcpy(json, text, size);
  *settings = &config.settings;
  return pg_config_read(&config, json, size, room, sizeof room);
}
