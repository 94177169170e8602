/*
 * Checks an image, and the same image with each of its bytes flipped (one bit, then all), and cut at each
 * length. Usage: check-image IMAGE KEYS OLDEST-KEY-ID PRODUCT ABI BORDER COUNTER [once], or the name of a file with
 * these words. KEYS: public keys in hexadecimal digits, joined by "+"; OLDEST-KEY-ID: digits, or "-"; BORDER: digits.
 * Output: the name of the image's own result; then for each byte `offset name name`; then for each shorter length
 * `cut length name`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-crypto.h"

enum { LIMIT = 131072, WORDS_MAX = 10 };

static uint8_t bytes[LIMIT + 1];
static uint8_t keys[PG_KEYS_MAX][PG_PUBLIC_KEY_BYTES];
static struct pg_image_rules rules = {.crypto = &pg_image_crypto, .limit = LIMIT};
static struct pg_image_floor least;

static int read_hex(uint8_t *into, size_t size, const char *digits) {
  for (size_t i = 0; i < size; i++) {
    unsigned int byte = 0;
    if (sscanf(digits + 2 * i, "%2x", &byte) != 1) return 0;
    into[i] = (uint8_t)byte;
  }
  return strlen(digits) == 2 * size;
}

static const char *said(size_t size) {
  struct pg_image image;
  return pg_image_result_name(pg_image_check(bytes, size, &rules, &least, &image));
}

/* The arguments out of a file: there a command line is short. */
static int read_words(const char *path, char **words) {
  static char text[1024];
  FILE *file = fopen(path, "rb");
  int count = 1;
  if (!file) return 0;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  for (char *word = strtok(text, " "); word && count < WORDS_MAX; word = strtok(NULL, " ")) {
    words[count++] = word;
  }
  return count;
}

int main(int count, char **arguments) {
  char *words[WORDS_MAX] = {NULL};
  if (count == 2) {
    count = read_words(arguments[1], words);
    arguments = words;
  }
  if (count < 8) return 2;
  FILE *file = fopen(arguments[1], "rb");
  if (!file) return 2;
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (char *key = strtok(arguments[2], "+"); key; key = strtok(NULL, "+")) {
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
