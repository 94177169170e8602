/*
 * Stands in for SHA-512 and Ed25519 in the fuzzers: quick, and whole once the harness has completed an image, so
 * that what comes behind the signature is fuzzed, too.
 */
#ifndef PICOGRANT_FAKE_CRYPTO_H
#define PICOGRANT_FAKE_CRYPTO_H

#include <string.h>

#include "image.h"

enum { FAKE_AT_HASH = PG_IMAGE_HEADER_BYTES - PG_SHA512_BYTES, FAKE_AT_KEY_ID = 160, FAKE_R = 3 };

static uint64_t fake_mix(uint64_t hash, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

static void fake_sha512(uint8_t hash[PG_SHA512_BYTES], const uint8_t *first, size_t first_size,
                        const uint8_t *second, size_t second_size) {
  uint64_t mixed = fake_mix(14695981039346656037u, first, first_size);
  if (second_size > 0) mixed = fake_mix(mixed, second, second_size);
  for (int i = 0; i < PG_SHA512_BYTES; i++) {
    hash[i] = (uint8_t)(mixed >> 32);
    mixed = mixed * 6364136223846793005u + 1442695040888963407u;
  }
}

/* R with y = 3 and S = 0 pass what image.c asks of their form. */
static int fake_verify(const uint8_t signature[PG_SIGNATURE_BYTES], const uint8_t *message,
                       size_t size, const uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  (void)message;
  (void)size;
  (void)key;
  return signature[0] == FAKE_R;
}

static const struct pg_image_crypto fake_crypto = {fake_sha512, fake_verify};

/* Fills in the hash and the signature of an image of `size` bytes, which are enough for both. */
static void fake_seal(uint8_t *bytes, size_t size) {
  size_t end = size - PG_SIGNATURE_BYTES;
  fake_sha512(bytes + FAKE_AT_HASH, bytes, FAKE_AT_HASH, bytes + PG_IMAGE_HEADER_BYTES,
              end - PG_IMAGE_HEADER_BYTES);
  memset(bytes + end, 0, PG_SIGNATURE_BYTES);
  bytes[end] = FAKE_R;
}

#endif
