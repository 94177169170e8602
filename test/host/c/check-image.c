/*
 * Checks an image, and the same image with each of its bytes flipped (one bit, then all), and cut at each
 * length. Usage: check-image IMAGE KEYS OLDEST-KEY-ID PRODUCT ABI BORDER COUNTER [once]. KEYS: public
 * keys in hexadecimal digits, separated by commas; OLDEST-KEY-ID: digits, or "-"; BORDER: digits. Output: the name of the image's own result;
 * then for each byte `offset name name`; then for each shorter length `cut length name`.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-crypto.h"

enum { LIMIT = 131072 };

static uint8_t bytes[LIMIT + 1];
static uint8_t keys[PG_KEYS_MAX][PG_PUBLIC_KEY_BYTES];
static struct pg_image_rules rules = {.crypto = &pg_image_crypto, .limit = LIMIT};
static struct pg_image_floor least;

static int read_hex(uint8_t *into, size_t size, const char *digits) {
  return sodium_hex2bin(into, size, digits, strlen(digits), NULL, NULL, NULL) == 0;
}

static const char *said(size_t size) {
  struct pg_image image;
  return pg_image_result_name(pg_image_check(bytes, size, &rules, &least, &image));
}

int main(int count, char **arguments) {
  if (count < 8 || sodium_init() < 0) return 2;
  FILE *file = fopen(arguments[1], "rb");
  if (!file) return 2;
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (char *key = strtok(arguments[2], ","); key; key = strtok(NULL, ",")) {
    if (!read_hex(keys[rules.key_count++], PG_PUBLIC_KEY_BYTES, key)) return 2;
  }
  if (*arguments[3] != '-' && !read_hex(least.oldest_key, PG_KEY_ID_BYTES, arguments[3])) return 2;
  if (!read_hex(rules.border, PG_BORDER_BYTES, arguments[6])) return 2;
  struct pg_image_target target = {"quickjs", arguments[5]};
  rules.keys = (const uint8_t(*)[PG_PUBLIC_KEY_BYTES])keys;
  rules.product = arguments[4];
  rules.targets = &target;
  rules.target_count = 1;
  least.counter = (uint32_t)strtoul(arguments[7], NULL, 10);
  puts(said(size));
  for (size_t at = 0; at < size && count == 8; at++) {
    bytes[at] ^= 1;
    const char *one = said(size);
    bytes[at] ^= 0xfe;
    printf("%zu %s %s\n", at, one, said(size));
    bytes[at] ^= 0xff;
  }
  for (size_t length = 0; length < size && count == 8; length++) {
    printf("cut %zu %s\n", length, said(length));
  }
  return 0;
}
