/* Checks an image (image.h) with SHA-512 and Ed25519 of the board's. Here there are none, and so no image is good. */
#include "image.h"

#include <string.h>

static void sha512(uint8_t hash[PG_SHA512_BYTES], const uint8_t *first, size_t first_size, const uint8_t *second,
                   size_t second_size) {
  (void)first;
  (void)first_size;
  (void)second;
  (void)second_size;
  memset(hash, 0, PG_SHA512_BYTES);
}

static int verify(const uint8_t signature[PG_SIGNATURE_BYTES], const uint8_t *message, size_t size,
                  const uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  (void)signature;
  (void)message;
  (void)size;
  (void)key;
  return 0;
}

int main(void) {
  static const struct pg_image_crypto crypto = {sha512, verify};
  static const struct pg_image_target target = {"any", "es5"};
  static const uint8_t keys[1][PG_PUBLIC_KEY_BYTES] = {{1}};
  static const struct pg_image_floor floor = {0, {0}};
  static struct pg_image_rules rules;
  static uint8_t flash[1024];
  struct pg_image image;
  rules.crypto = &crypto;
  rules.keys = keys;
  rules.key_count = 1;
  rules.targets = &target;
  rules.target_count = 1;
  rules.product = "tv";
  rules.limit = sizeof flash;
  enum pg_image_result result = pg_image_check(flash, sizeof flash, &rules, &floor, &image);
  return result == PG_IMAGE_NOT_AN_IMAGE && strcmp(pg_image_result_name(result), "not-an-image") == 0 ? 0 : 1;
}
