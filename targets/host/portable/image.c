/* The checks of an image. Contract in image.h; the numbers are FORMAT.md's. */
#include "image.h"

#include <sodium.h>
#include <string.h>

enum {
  HEADER = 192,
  SIGNATURE = 64,
  LIMIT = 4194304,
  AT_VERSION = 8,
  AT_HEADER_LENGTH = 10,
  AT_KIND = 12,
  AT_RESERVED = 14,
  AT_IMAGE_LENGTH = 16,
  AT_PAYLOAD_LENGTH = 20,
  AT_CONFIG_LENGTH = 24,
  AT_COUNTER = 28,
  AT_ENGINE = 32,
  AT_ABI = 48,
  AT_PRODUCT = 80,
  AT_KEY_ID = 112,
  AT_HASH = 128,
  KIND_SOURCE = 1,
  KIND_BYTECODE = 2
};

static const uint8_t magic[8] = {0x50, 0x47, 0x49, 0x4d, 0x47, 0x0d, 0x0a, 0x1a};

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

static enum pg_image_result check_lengths(const uint8_t *bytes, size_t size) {
  if (size < HEADER + SIGNATURE) return PG_IMAGE_TRUNCATED;
  if (memcmp(bytes, magic, sizeof magic) != 0) return PG_IMAGE_NOT_AN_IMAGE;
  if (u16(bytes + AT_VERSION) != 1) return PG_IMAGE_FORMAT_UNKNOWN;
  uint32_t length = u32(bytes + AT_IMAGE_LENGTH);
  uint32_t payload = u32(bytes + AT_PAYLOAD_LENGTH);
  uint32_t config = u32(bytes + AT_CONFIG_LENGTH);
  /* Each is compared with the limit first, so that the sum cannot overflow. */
  if (u16(bytes + AT_HEADER_LENGTH) != HEADER || payload == 0 || payload > LIMIT ||
      config > LIMIT || length > LIMIT || length > PG_IMAGE_MAX ||
      HEADER + payload + config + SIGNATURE != length) {
    return PG_IMAGE_LENGTH_WRONG;
  }
  if (size < length) return PG_IMAGE_TRUNCATED;
  return size > length ? PG_IMAGE_LENGTH_WRONG : PG_IMAGE_OK;
}

static enum pg_image_result check_seal(const uint8_t *bytes, size_t size,
                                       const uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  uint8_t hash[crypto_hash_sha512_BYTES];
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, bytes, AT_HASH);
  crypto_hash_sha512_update(&state, bytes + HEADER, size - HEADER - SIGNATURE);
  crypto_hash_sha512_final(&state, hash);
  if (memcmp(hash, bytes + AT_HASH, sizeof hash) != 0) return PG_IMAGE_DAMAGED;
  crypto_hash_sha512(hash, key, PG_PUBLIC_KEY_BYTES);
  if (memcmp(hash, bytes + AT_KEY_ID, 16) != 0) return PG_IMAGE_FOREIGN_KEY;
  if (crypto_sign_verify_detached(bytes + size - SIGNATURE, bytes, size - SIGNATURE, key) != 0) {
    return PG_IMAGE_SIGNATURE_WRONG;
  }
  return PG_IMAGE_OK;
}

/* Pairs of engine and ABI name the kind that belongs to them: `std-1` and `es5` are sources. */
static enum pg_image_result check_target(const uint8_t *bytes, const char *abi) {
  uint32_t kind = u16(bytes + AT_KIND);
  if (u16(bytes + AT_RESERVED) != 0 || (kind != KIND_SOURCE && kind != KIND_BYTECODE) ||
      !is_text(bytes + AT_ENGINE, 16) || !is_text(bytes + AT_ABI, 32) ||
      !is_text(bytes + AT_PRODUCT, 32)) {
    return PG_IMAGE_MALFORMED;
  }
  int is_quickjs = is(bytes + AT_ENGINE, 16, "quickjs");
  int is_source = is(bytes + AT_ABI, 32, "std-1") || is(bytes + AT_ABI, 32, "es5");
  if ((is_source && kind != KIND_SOURCE) || (is_quickjs && !is_source && kind != KIND_BYTECODE)) {
    return PG_IMAGE_MALFORMED;
  }
  if (!is_quickjs) return PG_IMAGE_WRONG_ENGINE;
  return is(bytes + AT_ABI, 32, abi) ? PG_IMAGE_OK : PG_IMAGE_WRONG_ABI;
}

enum pg_image_result pg_image_check(const uint8_t *bytes, size_t size,
                                    const uint8_t key[PG_PUBLIC_KEY_BYTES], const char *abi,
                                    uint32_t counter_min, struct pg_image *image) {
  enum pg_image_result result = check_lengths(bytes, size);
  if (result == PG_IMAGE_OK) result = check_seal(bytes, size, key);
  if (result == PG_IMAGE_OK) result = check_target(bytes, abi);
  if (result == PG_IMAGE_OK && u32(bytes + AT_COUNTER) < counter_min) result = PG_IMAGE_ROLLBACK;
  if (result != PG_IMAGE_OK) return result;
  image->code = bytes + HEADER;
  image->code_size = u32(bytes + AT_PAYLOAD_LENGTH);
  image->config = image->code + image->code_size;
  image->config_size = u32(bytes + AT_CONFIG_LENGTH);
  image->counter = u32(bytes + AT_COUNTER);
  return PG_IMAGE_OK;
}

const char *pg_image_result_name(enum pg_image_result result) {
  static const char *const names[] = {
      "ok",           "truncated",       "not-an-image", "format-unknown", "length-wrong", "damaged",
      "foreign-key",  "signature-wrong", "malformed",    "wrong-engine",   "wrong-abi",    "rollback"};
  switch (result) {
    case PG_IMAGE_UNREADABLE:
      return "cannot be read or written";
    case PG_IMAGE_BAD_KEY:
      return "the key file holds no public key (64 hexadecimal digits)";
    case PG_IMAGE_NONE:
      return "no slot holds an image";
    default:
      return (unsigned)result < sizeof names / sizeof *names ? names[result] : "unknown";
  }
}
