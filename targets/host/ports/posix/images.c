/* Key files, slots in a directory and their boot record. Contract in images.h. */
#include "images.h"

#include <string.h>

#include "image-crypto.h"
#include "slot-files.h"

enum { KEY_FILE_MAX = 160 };

static uint8_t keys[PG_KEYS_MAX][PG_PUBLIC_KEY_BYTES];
static struct pg_image_rules rules;
static struct pg_boot boot;
static uint8_t new_image[PG_SLOT_FILE_MAX + 1];

static int digit(uint8_t character) {
  if (character >= '0' && character <= '9') return character - '0';
  character |= 0x20;
  return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

static int is_space(uint8_t character) {
  return character == ' ' || character == '\r' || character == '\n';
}

/* FORMAT.md, "Key files": 64 digits, white space between pairs of them only. 0: it is no public key. */
static int parse_digits(const uint8_t *text, size_t size, uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  size_t length = 0;
  for (size_t at = 0; at < size;) {
    if (is_space(text[at])) {
      at++;
      continue;
    }
    int high = digit(text[at]);
    int low = at + 1 < size ? digit(text[at + 1]) : -1;
    if (high < 0 || low < 0 || length == PG_PUBLIC_KEY_BYTES) return 0;
    key[length++] = (uint8_t)(high << 4 | low);
    at += 2;
  }
  return length == PG_PUBLIC_KEY_BYTES;
}

static enum pg_image_result read_key(const char *path, uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  uint8_t text[KEY_FILE_MAX + 1];
  size_t size = 0;
  if (pg_read_beginning(path, text, sizeof text, &size) != PG_IMAGE_OK) return PG_IMAGE_UNREADABLE;
  if (size == PG_PUBLIC_KEY_BYTES) {
    memcpy(key, text, PG_PUBLIC_KEY_BYTES);
    return PG_IMAGE_OK;
  }
  return size <= KEY_FILE_MAX && parse_digits(text, size, key) ? PG_IMAGE_OK : PG_IMAGE_BAD_KEY;
}

enum pg_image_result pg_images_open(const struct pg_images_options *options, const char **what) {
  for (size_t i = 0; i < options->key_count; i++) {
    *what = options->key_files[i];
    enum pg_image_result result = read_key(*what, keys[i]);
    if (result != PG_IMAGE_OK) return result;
  }
  rules = (struct pg_image_rules){
      .crypto = &pg_image_crypto,
      .keys = (const uint8_t(*)[PG_PUBLIC_KEY_BYTES])keys,
      .key_count = options->key_count,
      .targets = options->targets,
      .target_count = options->target_count,
      .product = options->product,
      .limit = PG_SLOT_FILE_MAX,
      .counter_min = options->counter_min,
  };
  memcpy(rules.border, options->border, sizeof rules.border);
  pg_boot_open(&boot, pg_slot_files(options->directory), &rules);
  return PG_IMAGE_OK;
}

enum pg_image_result pg_images_install(const char *path) {
  size_t size = 0;
  enum pg_image_result result = pg_read_beginning(path, new_image, sizeof new_image, &size);
  return result == PG_IMAGE_OK ? pg_boot_install(&boot, new_image, size) : result;
}

enum pg_image_result pg_images_choose(struct pg_image *image, int *unwritten) {
  enum pg_image_result result = pg_boot_choose(&boot, image);
  *unwritten = boot.unwritten;
  return result;
}

enum pg_image_result pg_images_confirm(void) { return pg_boot_confirm(&boot); }
