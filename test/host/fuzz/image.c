/*
 * Fuzzes the checks of an image: what passes keeps all the rules that its user relies on, and whatever is said, no
 * byte beyond the image is looked at. The first byte says what the harness completes, for nobody guesses
 * a hash; the second is the device's counter.
 */
#include <stdlib.h>

#include "bound.h"
#include "fake-crypto.h"

enum { COMPLETE_LENGTHS = 1, COMPLETE_KEY = 2, COMPLETE_SEAL = 4, COMPLETE_LENGTH = 8, LIMIT = 350 };

static const uint8_t keys[2][PG_PUBLIC_KEY_BYTES] = {{5}, {6}};
static const struct pg_image_target targets[] = {{"quickjs", "2025-04-26-le32"}, {"any", "es5"}};

static void put32(uint8_t *at, size_t value) {
  for (int i = 3; i >= 0; i--, value >>= 8) at[i] = (uint8_t)value;
}

static void complete(uint8_t *bytes, size_t size, uint8_t what) {
  static const uint8_t magic[] = {0x50, 0x47, 0x49, 0x4d, 0x47, 0x0d, 0x0a, 0x1a, 0, 2, 0, 240};
  uint8_t hash[PG_SHA512_BYTES];
  size_t body = size - PG_IMAGE_HEADER_BYTES - PG_SIGNATURE_BYTES;
  if (what & (COMPLETE_LENGTHS | COMPLETE_LENGTH)) {
    memcpy(bytes, magic, sizeof magic);
    put32(bytes + 16, size);
  }
  /* Or the input says how the image is divided. */
  if (what & COMPLETE_LENGTHS && body > 0) {
    put32(bytes + 20, body - body / 4);
    put32(bytes + 24, body / 4);
  }
  if (what & COMPLETE_KEY) {
    fake_sha512(hash, keys[what >> 7], PG_PUBLIC_KEY_BYTES, NULL, 0);
    memcpy(bytes + FAKE_AT_KEY_ID, hash, PG_KEY_ID_BYTES);
  }
  if (what & COMPLETE_SEAL) fake_seal(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_size);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_size) {
  if (input_size < 2) return 0;
  size_t size = input_size - 2;
  uint8_t *bytes = malloc(size + 1);
  memcpy(bytes, input + 2, size);
  if (size >= PG_IMAGE_HEADER_BYTES + PG_SIGNATURE_BYTES) complete(bytes, size, input[0]);
  struct pg_image_rules rules = {.crypto = &fake_crypto, .keys = keys, .key_count = 2};
  rules.targets = targets;
  rules.target_count = 2;
  rules.product = "tv";
  rules.limit = LIMIT;
  struct pg_image_floor floor = {.counter = input[1]};
  struct pg_image image = {0};
  enum pg_image_result result = pg_image_check(bytes, size, &rules, &floor, &image);
  check(result <= PG_IMAGE_ROLLBACK, "a verdict is one of FORMAT.md");
  check(pg_image_length(bytes, size) <= size, "an image ends within what is there");
  if (result == PG_IMAGE_OK) {
    check(image.code == bytes + PG_IMAGE_HEADER_BYTES && image.code_size > 0, "its parts fill an image");
    check(image.config == image.code + image.code_size, "its parts fill an image");
    check(image.config + image.config_size + PG_SIGNATURE_BYTES == bytes + size, "its parts fill an image");
    check(image.counter >= floor.counter, "no older image passes");
    check(size <= LIMIT, "no longer image passes");
    check(pg_image_length(bytes, size) == size, "an image ends within what is there");
    /* Not with any other key than its own, nor where that is retired. */
    memcpy(floor.oldest_key, image.key_id, PG_KEY_ID_BYTES);
    check(pg_image_check(bytes, size, &rules, &floor, &image) == PG_IMAGE_OK, "the oldest key that counts is good");
    rules.key_count = 0;
    check(pg_image_check(bytes, size, &rules, &floor, &image) == PG_IMAGE_FOREIGN_KEY, "no foreign key is good");
  }
  free(bytes);
  return 0;
}
