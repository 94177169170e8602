/* The checks of an image. Contract in image.h; the numbers are FORMAT.md's. */
#include "image.h"

#include <string.h>

#include "assertion.h"

enum {
  HEADER = PG_IMAGE_HEADER_BYTES,
  SIGNATURE = PG_SIGNATURE_BYTES,
  LIMIT = 4194304,
  VERSION = 2,
  AT_VERSION = 8,
  AT_HEADER_LENGTH = 10,
  AT_KIND = 12,
  AT_FLAGS = 14,
  AT_IMAGE_LENGTH = 16,
  AT_PAYLOAD_LENGTH = 20,
  AT_CONFIG_LENGTH = 24,
  AT_COUNTER = 28,
  AT_ENGINE = 32,
  AT_ABI = 48,
  AT_PRODUCT = 80,
  AT_RELEASE = 112,
  AT_BORDER = 144,
  AT_RESERVED = 152,
  AT_KEY_ID = 160,
  AT_HASH = 176,
  ENGINE_WIDTH = 16,
  TEXT_WIDTH = 32,
  KIND_SOURCE = 1,
  KIND_BYTECODE = 2,
  KIND_MACHINE_CODE = 3,
  FLAG_RETIRE_OLDER_KEYS = 1
};

static const uint8_t magic[8] = {0x50, 0x47, 0x49, 0x4d, 0x47, 0x0d, 0x0a, 0x1a};

/* The order of Ed25519's base point, 2^252 + 27742317777372353535851937790883648493. Little-endian, as are
   the numbers below. */
static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                                  0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
                                  0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};

/* The prime of its field, 2^255 - 19. */
static const uint8_t prime[32] = {0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};

/* The y of all points of small order (1, 2, 4, 8): with such a key anybody's signature could fit. */
static const uint8_t small_order[][32] = {
    {0},
    {1},
    {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
     0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
    {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
     0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}};

static uint32_t u16(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }

static uint32_t u32(const uint8_t *at) { return u16(at) << 16 | u16(at + 2); }

/* Printable ASCII without space, one character at least, then NULs only. */
static int is_text(const uint8_t *text, size_t width) {
  size_t length = 0;
  while (length < width && text[length] > 32 && text[length] < 127) length++;
  for (size_t i = length; i < width; i++) {
    if (text[i]) return 0;
  }
  return length > 0;
}

static int is(const uint8_t *text, size_t width, const char *expected) {
  return strlen(expected) <= width && strncmp((const char *)text, expected, width) == 0;
}

/* Compares two numbers of 32 bytes. Nothing here is secret. */
static int is_below(const uint8_t number[32], const uint8_t bound[32]) {
  for (int i = 31; i >= 0; i--) {
    if (number[i] != bound[i]) return number[i] < bound[i];
  }
  return 0;
}

/* Encoded in the one way that there is, and not of small order. The last bit is the sign of x. */
static int is_point_allowed(const uint8_t point[32]) {
  uint8_t y[32];
  memcpy(y, point, sizeof y);
  y[31] &= 0x7f;
  if (!is_below(y, prime)) return 0;
  for (size_t i = 0; i < sizeof small_order / sizeof *small_order; i++) {
    if (memcmp(y, small_order[i], sizeof y) == 0) return 0;
  }
  return 1;
}

/* RFC 8032 §5.1.7 to the letter, whatever the library takes (the same as ed25519.ts). */
static int is_signed(const struct pg_image_crypto *crypto, const uint8_t *bytes, size_t size,
                     const uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  const uint8_t *signature = bytes + size - SIGNATURE;
  return is_below(signature + 32, order) && is_point_allowed(signature) && is_point_allowed(key) &&
         crypto->verify(signature, bytes, size - SIGNATURE, key);
}

/* The lengths of an image's parts: read once, so that what was checked is what is used. */
struct lengths {
  uint32_t payload;
  uint32_t config;
};

/* Whether the header's lengths add up to `length`, which is no longer than what is taken. */
static int are_lengths_right(const uint8_t *bytes, size_t length, size_t limit,
                             struct lengths *lengths) {
  lengths->payload = u32(bytes + AT_PAYLOAD_LENGTH);
  lengths->config = u32(bytes + AT_CONFIG_LENGTH);
  if (u16(bytes + AT_HEADER_LENGTH) != HEADER || length < HEADER + SIGNATURE || length > LIMIT ||
      length > limit) {
    return 0;
  }
  /* Subtracted from what is larger: nothing can overflow. */
  size_t body = length - HEADER - SIGNATURE;
  return lengths->payload > 0 && lengths->payload <= body &&
         lengths->config == body - lengths->payload;
}

static enum pg_image_result check_lengths(const uint8_t *bytes, size_t size, size_t limit,
                                          struct lengths *lengths) {
  if (size < HEADER + SIGNATURE) return PG_IMAGE_TRUNCATED;
  if (memcmp(bytes, magic, sizeof magic) != 0) return PG_IMAGE_NOT_AN_IMAGE;
  if (u16(bytes + AT_VERSION) != VERSION) return PG_IMAGE_FORMAT_UNKNOWN;
  size_t length = u32(bytes + AT_IMAGE_LENGTH);
  if (length == size) {
    return are_lengths_right(bytes, size, limit, lengths) ? PG_IMAGE_OK : PG_IMAGE_LENGTH_WRONG;
  }
  /* What is cut off is told from what was never right. */
  return size < length && are_lengths_right(bytes, length, limit, lengths) ? PG_IMAGE_TRUNCATED
                                                                           : PG_IMAGE_LENGTH_WRONG;
}

/* The id of a key is the beginning of its hash. */
static int is_key_of_id(const struct pg_image_rules *rules, size_t index, const uint8_t *id) {
  uint8_t hash[PG_SHA512_BYTES];
  rules->crypto->sha512(hash, rules->keys[index], PG_PUBLIC_KEY_BYTES, NULL, 0);
  return memcmp(hash, id, PG_KEY_ID_BYTES) == 0;
}

size_t pg_image_key_order(const struct pg_image_rules *rules, const uint8_t id[PG_KEY_ID_BYTES]) {
  for (size_t i = 0; i < rules->key_count; i++) {
    if (is_key_of_id(rules, i, id)) return i;
  }
  return 0;
}

static enum pg_image_result check_seal(const uint8_t *bytes, size_t size,
                                       const struct pg_image_rules *rules,
                                       const struct pg_image_floor *floor) {
  uint8_t hash[PG_SHA512_BYTES];
  rules->crypto->sha512(hash, bytes, AT_HASH, bytes + HEADER, size - HEADER - SIGNATURE);
  if (memcmp(hash, bytes + AT_HASH, sizeof hash) != 0) return PG_IMAGE_DAMAGED;
  size_t index = pg_image_key_order(rules, bytes + AT_KEY_ID);
  if (index >= rules->key_count || !is_key_of_id(rules, index, bytes + AT_KEY_ID)) {
    return PG_IMAGE_FOREIGN_KEY;
  }
  if (index < pg_image_key_order(rules, floor->oldest_key)) return PG_IMAGE_RETIRED_KEY;
  return is_signed(rules->crypto, bytes, size, rules->keys[index]) ? PG_IMAGE_OK
                                                                   : PG_IMAGE_SIGNATURE_WRONG;
}

/* Pairs of engine and ABI name the kind that belongs to them: `es5` is source. */
static int is_kind_right(const uint8_t *bytes) {
  uint32_t kind = u16(bytes + AT_KIND);
  if (is(bytes + AT_ABI, TEXT_WIDTH, "es5")) return kind == KIND_SOURCE;
  if (is(bytes + AT_ENGINE, ENGINE_WIDTH, "quickjs")) return kind == KIND_BYTECODE;
  if (is(bytes + AT_ENGINE, ENGINE_WIDTH, "firmware")) return kind == KIND_MACHINE_CODE;
  return kind >= KIND_SOURCE && kind <= KIND_MACHINE_CODE;
}

/* Whether the header keeps to the format: checked once it is known to be the maker's. */
static enum pg_image_result check_form(const uint8_t *bytes) {
  if (u16(bytes + AT_FLAGS) & ~(uint32_t)FLAG_RETIRE_OLDER_KEYS) return PG_IMAGE_MALFORMED;
  for (int i = AT_RESERVED; i < AT_KEY_ID; i++) {
    if (bytes[i]) return PG_IMAGE_MALFORMED;
  }
  if (!is_text(bytes + AT_ENGINE, ENGINE_WIDTH) || !is_text(bytes + AT_ABI, TEXT_WIDTH) ||
      !is_text(bytes + AT_PRODUCT, TEXT_WIDTH) || !is_text(bytes + AT_RELEASE, TEXT_WIDTH)) {
    return PG_IMAGE_MALFORMED;
  }
  return is_kind_right(bytes) ? PG_IMAGE_OK : PG_IMAGE_MALFORMED;
}

/* Whether it is for this product, engine and border. */
static enum pg_image_result check_purpose(const uint8_t *bytes,
                                          const struct pg_image_rules *rules) {
  enum pg_image_result result = PG_IMAGE_WRONG_ENGINE;
  if (!is(bytes + AT_PRODUCT, TEXT_WIDTH, rules->product)) return PG_IMAGE_WRONG_PRODUCT;
  for (size_t i = 0; i < rules->target_count && result != PG_IMAGE_OK; i++) {
    if (!is(bytes + AT_ENGINE, ENGINE_WIDTH, rules->targets[i].engine)) continue;
    int same = is(bytes + AT_ABI, TEXT_WIDTH, rules->targets[i].abi);
    result = same ? PG_IMAGE_OK : PG_IMAGE_WRONG_ABI;
  }
  if (result != PG_IMAGE_OK) return result;
  int same = memcmp(bytes + AT_BORDER, rules->border, PG_BORDER_BYTES) == 0;
  return same ? PG_IMAGE_OK : PG_IMAGE_WRONG_BORDER;
}

enum pg_image_result pg_image_check(const uint8_t *bytes, size_t size,
                                    const struct pg_image_rules *rules,
                                    const struct pg_image_floor *floor, struct pg_image *image) {
  uint32_t least = floor->counter > rules->counter_min ? floor->counter : rules->counter_min;
  struct lengths lengths;
  enum pg_image_result result = check_lengths(bytes, size, rules->limit, &lengths);
  if (result == PG_IMAGE_OK) result = check_seal(bytes, size, rules, floor);
  if (result == PG_IMAGE_OK) result = check_form(bytes);
  if (result == PG_IMAGE_OK) result = check_purpose(bytes, rules);
  if (result == PG_IMAGE_OK && u32(bytes + AT_COUNTER) < least) result = PG_IMAGE_ROLLBACK;
  if (result != PG_IMAGE_OK) return result;
  image->code = bytes + HEADER;
  image->code_size = lengths.payload;
  image->config = image->code + image->code_size;
  image->config_size = lengths.config;
  PG_MUST(image->config + image->config_size + SIGNATURE == bytes + size,
          "the parts of an image fill it");
  image->counter = u32(bytes + AT_COUNTER);
  image->retires = (u16(bytes + AT_FLAGS) & FLAG_RETIRE_OLDER_KEYS) != 0;
  memcpy(image->key_id, bytes + AT_KEY_ID, sizeof image->key_id);
  memcpy(image->hash, bytes + AT_HASH, sizeof image->hash);
  return PG_IMAGE_OK;
}

size_t pg_image_length(const uint8_t *bytes, size_t capacity) {
  if (capacity < HEADER || memcmp(bytes, magic, sizeof magic) != 0) return capacity;
  uint32_t length = u32(bytes + AT_IMAGE_LENGTH);
  return length < capacity ? length : capacity;
}

const char *pg_image_result_name(enum pg_image_result result) {
  static const char *const names[] = {
      "ok",           "truncated",     "not-an-image", "format-unknown", "length-wrong",
      "damaged",      "foreign-key",   "retired-key",  "signature-wrong", "malformed",
      "wrong-product", "wrong-engine", "wrong-abi",    "wrong-border",   "rollback"};
  switch (result) {
    case PG_IMAGE_UNREADABLE:
      return "cannot be read or written";
    case PG_IMAGE_BAD_KEY:
      return "the key file holds no public key (64 hexadecimal digits)";
    case PG_IMAGE_NONE:
      return "no slot holds an image";
    case PG_IMAGE_BUSY:
      return "another program is writing there";
    case PG_IMAGE_IN_USE:
      return "the image that runs lies in the slot to be written; confirm it or start again first";
    default:
      return (unsigned)result < sizeof names / sizeof *names ? names[result] : "unknown";
  }
}
