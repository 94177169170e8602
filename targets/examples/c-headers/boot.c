/* Chooses what to start (boot.h). The store of this device is empty: there is nothing yet. */
#include "boot.h"

static enum pg_image_result no_slot(void *context, int slot, const uint8_t **bytes, size_t *size) {
  (void)context;
  (void)slot;
  *bytes = NULL;
  *size = 0;
  return PG_IMAGE_NONE;
}

static enum pg_image_result no_header(void *context, int slot, uint8_t header[PG_IMAGE_HEADER_BYTES]) {
  (void)context;
  (void)slot;
  header[0] = 0;
  return PG_IMAGE_NONE;
}

static int no_slot_written(void *context, int slot, const uint8_t *bytes, size_t size) {
  (void)context;
  (void)slot;
  (void)bytes;
  (void)size;
  return 0;
}

static int no_record(void *context, int copy, uint8_t record[PG_BOOT_RECORD_BYTES]) {
  (void)context;
  (void)copy;
  record[0] = 0;
  return 0;
}

static int no_record_written(void *context, int copy, const uint8_t record[PG_BOOT_RECORD_BYTES]) {
  (void)context;
  (void)copy;
  (void)record;
  return 0;
}

int main(void) {
  /* No counter of the chip's, and no other program that writes. */
  static const struct pg_boot_store store = {NULL, no_slot, no_header, no_slot_written, no_record, no_record_written,
                                             NULL, NULL, NULL, NULL};
  static struct pg_image_rules rules;
  static struct pg_boot boot;
  struct pg_image image;
  rules.product = "tv";
  pg_boot_open(&boot, &store, &rules);
  return pg_boot_choose(&boot, &image) == PG_IMAGE_NONE && boot.chosen == -1 ? 0 : 1;
}
