/*
 * What the five files of libsodium that verify a signature ask of the rest of that library: for a boot loader,
 * which compiles those files alone (ports/board/Makefile). A program that links the whole library has these already.
 */
#include <stddef.h>
#include <sodium/utils.h>

#include "wipe.h"

void sodium_memzero(void *const bytes, const size_t size) { pg_wipe(bytes, size); }

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
