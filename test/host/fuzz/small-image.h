/*
 * The smallest image that passes, made anew for any counter, with fake-crypto.h in the place of a signature; and rules
 * that take it.
 */
#ifndef PICOGRANT_SMALL_IMAGE_H
#define PICOGRANT_SMALL_IMAGE_H

#include "fake-crypto.h"

enum { IMAGE = PG_IMAGE_HEADER_BYTES + 4 + PG_SIGNATURE_BYTES };

/* The older and the newer. */
static const uint8_t keys[2][PG_PUBLIC_KEY_BYTES] = {{5}, {6}};
static const struct pg_image_target targets[] = {{"any", "es5"}};
static const struct pg_image_rules rules = {
    .crypto = &fake_crypto,
    .keys = keys,
    .key_count = 2,
    .targets = targets,
    .target_count = 1,
    .product = "tv",
    .limit = IMAGE,
};

/*
 * Makes an image of IMAGE bytes. `key` is 0 or 1; with `retires` it retires the older key; `label` is the first byte of
 * its code.
 */
static void make_image(uint8_t *bytes, uint8_t counter, int key, int retires, uint8_t label) {
  static const uint8_t begin[] = {0x50, 0x47, 0x49, 0x4d, 0x47, 0x0d, 0x0a, 0x1a, 0, 2, 0, 240, 0, 1};
  uint8_t hash[PG_SHA512_BYTES];
  memset(bytes, 0, IMAGE);
  memcpy(bytes, begin, sizeof begin);
  bytes[15] = (uint8_t)retires;
  bytes[18] = IMAGE >> 8;
  bytes[19] = (uint8_t)IMAGE;
  bytes[23] = 4;
  bytes[31] = counter;
  memcpy(bytes + 32, "any", 3);
  memcpy(bytes + 48, "es5", 3);
  memcpy(bytes + 80, "tv", 2);
  memcpy(bytes + 112, "1", 1);
  fake_sha512(hash, keys[key], PG_PUBLIC_KEY_BYTES, NULL, 0);
  memcpy(bytes + FAKE_AT_KEY_ID, hash, PG_KEY_ID_BYTES);
  bytes[PG_IMAGE_HEADER_BYTES] = label;
  fake_seal(bytes, IMAGE);
}

#endif
