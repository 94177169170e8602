/*
 * Checks an image, and the same image with each of its bytes flipped (one bit, then all), and cut at each
 * length. Usage: check-image IMAGE PUBLIC-KEY-HEX ABI COUNTER. Output: the name of the image's own result;
 * then for each byte `offset name name`; then for each shorter length `cut length name`.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

static uint8_t bytes[PG_IMAGE_MAX + 1];

int main(int count, char **arguments) {
  uint8_t key[PG_PUBLIC_KEY_BYTES];
  struct pg_image image;
  if (count != 5 || sodium_init() < 0) return 2;
  FILE *file = fopen(arguments[1], "rb");
  if (!file) return 2;
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  if (sodium_hex2bin(key, sizeof key, arguments[2], strlen(arguments[2]), NULL, NULL, NULL) != 0) {
    return 2;
  }
  const char *abi = arguments[3];
  uint32_t counter = (uint32_t)strtoul(arguments[4], NULL, 10);
  puts(pg_image_result_name(pg_image_check(bytes, size, key, abi, counter, &image)));
  for (size_t at = 0; at < size; at++) {
    bytes[at] ^= 1;
    enum pg_image_result one = pg_image_check(bytes, size, key, abi, counter, &image);
    bytes[at] ^= 0xfe;
    enum pg_image_result all = pg_image_check(bytes, size, key, abi, counter, &image);
    bytes[at] ^= 0xff;
    printf("%zu %s %s\n", at, pg_image_result_name(one), pg_image_result_name(all));
  }
  for (size_t length = 0; length < size; length++) {
    enum pg_image_result cut = pg_image_check(bytes, length, key, abi, counter, &image);
    printf("cut %zu %s\n", length, pg_image_result_name(cut));
  }
  return 0;
}
