/* Two slots of small images and both copies of the boot record in memory, for boot.h. */
#ifndef PICOGRANT_BOOT_IN_RAM_H
#define PICOGRANT_BOOT_IN_RAM_H

#include "boot.h"
#include "bound.h"
#include "small-image.h"

static uint8_t slots[2][IMAGE];
static uint8_t records[2][PG_BOOT_RECORD_BYTES];
/* A write that fails spoils what was there. */
static int writes_fail;

static enum pg_image_result slot(void *context, int at, const uint8_t **bytes, size_t *size) {
  (void)context;
  *bytes = slots[at];
  *size = IMAGE;
  return slots[at][0] == 0xff ? PG_IMAGE_NONE : PG_IMAGE_OK;
}

static enum pg_image_result header(void *context, int at, uint8_t into[PG_IMAGE_HEADER_BYTES]) {
  (void)context;
  memcpy(into, slots[at], PG_IMAGE_HEADER_BYTES);
  return PG_IMAGE_OK;
}

static int write_slot(void *context, int at, const uint8_t *bytes, size_t size) {
  (void)context;
  check(size <= IMAGE, "a slot has the room that it has");
  memcpy(slots[at], bytes, writes_fail ? size / 2 : size);
  return !writes_fail;
}

static int read_record(void *context, int copy, uint8_t record[PG_BOOT_RECORD_BYTES]) {
  (void)context;
  memcpy(record, records[copy], PG_BOOT_RECORD_BYTES);
  return 1;
}

static int write_record(void *context, int copy, const uint8_t record[PG_BOOT_RECORD_BYTES]) {
  (void)context;
  memcpy(records[copy], record, writes_fail ? PG_BOOT_RECORD_BYTES / 2 : PG_BOOT_RECORD_BYTES);
  return !writes_fail;
}

static struct pg_boot_store store = {
    .slot = slot,
    .header = header,
    .write_slot = write_slot,
    .read_record = read_record,
    .write_record = write_record,
};

#endif
