/*
 * SHA-512 and Ed25519 out of libsodium's source: the files that verify a signature are compiled as they are
 * (Makefile), and this is what they ask of the rest of that library.
 */
#include "crypto.h"

#include <sodium/crypto_hash_sha512.h>
#include <sodium/crypto_sign_ed25519.h>
#include <sodium/utils.h>


void sodium_memzero(void *const bytes, const size_t size) {
  volatile unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) at[i] = 0;
}

int sodium_memcmp(const void *const one, const void *const other, size_t size) {
  const unsigned char *a = one;
  const unsigned char *b = other;
  unsigned char differs = 0;
  for (size_t i = 0; i < size; i++) differs |= a[i] ^ b[i];
  return differs ? -1 : 0;
}

int sodium_is_zero(const unsigned char *bytes, const size_t size) {
  unsigned char any = 0;
  for (size_t i = 0; i < size; i++) any |= bytes[i];
  return any == 0;
}

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

const struct pg_image_crypto loader_crypto = {sha512, verify};
