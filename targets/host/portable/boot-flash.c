/* Slots and boot record in flash. Contract in boot-flash.h and boot.h. */
#include "boot-flash.h"

#include <string.h>

#include "units.h"

enum { CHUNK = PG_MEDIUM_UNIT_MAX };

static enum pg_image_result read_slot(void *context, int slot, const uint8_t **bytes,
                                      size_t *size) {
  const struct pg_boot_flash *flash = context;
  size_t capacity = flash->slots->slot_bytes;
  *bytes = flash->mapped[slot];
  if (!*bytes) {
    if (pg_medium_read(flash->slots, slot, 0, flash->room[slot], capacity) != PG_MEDIUM_DONE) {
      return PG_IMAGE_UNREADABLE;
    }
    *bytes = flash->room[slot];
  }
  /* Erased flash is no image that is damaged: there is none. */
  if ((*bytes)[0] == 0xff) return PG_IMAGE_NONE;
  *size = pg_image_length(*bytes, capacity);
  return PG_IMAGE_OK;
}

static enum pg_image_result read_header(void *context, int slot,
                                        uint8_t header[PG_IMAGE_HEADER_BYTES]) {
  const struct pg_boot_flash *flash = context;
  int result = pg_medium_read(flash->slots, slot, 0, header, PG_IMAGE_HEADER_BYTES);
  return result == PG_MEDIUM_DONE ? PG_IMAGE_OK : PG_IMAGE_UNREADABLE;
}

/* Whether the medium holds what was programmed. */
static int holds(const struct pg_medium *medium, int slot, const uint8_t *bytes, size_t size) {
  uint8_t found[CHUNK];
  for (size_t at = 0; at < size; at += CHUNK) {
    size_t length = size - at < CHUNK ? size - at : CHUNK;
    if (pg_medium_read(medium, slot, (uint32_t)at, found, length) != PG_MEDIUM_DONE) return 0;
    if (memcmp(found, bytes + at, length) != 0) return 0;
  }
  return 1;
}

static int write_whole(const struct pg_medium *medium, int slot, const uint8_t *bytes,
                       size_t size) {
  return pg_medium_is_usable(medium) && size <= medium->slot_bytes &&
         medium->erase(medium->context, slot) == PG_MEDIUM_DONE &&
         pg_medium_program(medium, slot, 0, bytes, size) == PG_MEDIUM_DONE &&
         holds(medium, slot, bytes, size);
}

static int write_slot(void *context, int slot, const uint8_t *bytes, size_t size) {
  const struct pg_boot_flash *flash = context;
  return write_whole(flash->slots, slot, bytes, size);
}

static int read_record(void *context, int copy, uint8_t record[PG_BOOT_RECORD_BYTES]) {
  const struct pg_boot_flash *flash = context;
  return pg_medium_read(flash->records, copy, 0, record, PG_BOOT_RECORD_BYTES) == PG_MEDIUM_DONE;
}

static int write_record(void *context, int copy, const uint8_t record[PG_BOOT_RECORD_BYTES]) {
  const struct pg_boot_flash *flash = context;
  return write_whole(flash->records, copy, record, PG_BOOT_RECORD_BYTES);
}

const struct pg_boot_store pg_boot_flash_store = {
    .slot = read_slot,
    .header = read_header,
    .write_slot = write_slot,
    .read_record = read_record,
    .write_record = write_record,
};
