/*
 * libsodium behind image.h, for the host on Linux and the board's boot loader. Only what hashes and verifies is
 * used, which needs no sodium_init.
 */
#include "image-crypto.h"

#include <sodium/crypto_hash_sha512.h>
#include <sodium/crypto_sign_ed25519.h>

static void sha512(uint8_t hash[PG_SHA512_BYTES], const uint8_t *first, size_t first_size,
                   const uint8_t *second, size_t second_size) {
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, first, first_size);
  if (second_size > 0) crypto_hash_sha512_update(&state, second, second_size);
  crypto_hash_sha512_final(&state, hash);
}

static int verify(const uint8_t signature[PG_SIGNATURE_BYTES], const uint8_t *message, size_t size,
                  const uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  return crypto_sign_ed25519_verify_detached(signature, message, size, key) == 0;
}

const struct pg_image_crypto pg_image_crypto = {sha512, verify};
