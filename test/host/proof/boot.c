/*
 * Slots and boot record: any number of installations, starts and confirmations, in any order, over a store
 * that holds anything each time it is asked, and of which every call may fail. (Another program, or a power cut, may
 * have been there in between.)
 */
#include "any-crypto.h"
#include "boot.h"

enum { SLOT = 4096 };

static uint8_t slots[2][SLOT];
static uint8_t update[SLOT];

static enum pg_image_result any_failure(void) {
  if (any_choice()) return PG_IMAGE_OK;
  return any_choice() ? PG_IMAGE_NONE : PG_IMAGE_UNREADABLE;
}

static enum pg_image_result slot(void *context, int at, const uint8_t **bytes, size_t *size) {
  //@ assert slot_is_there: 0 <= at <= 1;
  (void)context;
  any_bytes(slots[at], SLOT);
  *bytes = slots[at];
  *size = any_number(0, SLOT);
  return any_failure();
}

static enum pg_image_result header(void *context, int at, uint8_t into[PG_IMAGE_HEADER_BYTES]) {
  //@ assert slot_is_there: 0 <= at <= 1;
  (void)context, (void)at;
  any_bytes(into, PG_IMAGE_HEADER_BYTES);
  return any_failure();
}

static int write_slot(void *context, int at, const uint8_t *bytes, size_t size) {
  //@ assert slot_is_there: 0 <= at <= 1;
  //@ assert lent: size > 0 && \valid_read(bytes + (0 .. size - 1));
  (void)context, (void)at, (void)bytes, (void)size;
  return any_choice();
}

static int read_record(void *context, int copy, uint8_t record[PG_BOOT_RECORD_BYTES]) {
  //@ assert copy_is_there: 0 <= copy <= 1;
  (void)context, (void)copy;
  any_bytes(record, PG_BOOT_RECORD_BYTES);
  return any_choice();
}

static int write_record(void *context, int copy, const uint8_t record[PG_BOOT_RECORD_BYTES]) {
  //@ assert copy_is_there: 0 <= copy <= 1;
  //@ assert lent: \valid_read(record + (0 .. 47)) && \initialized(record + (0 .. 47));
  (void)context, (void)copy, (void)record;
  return any_choice();
}

static uint32_t counter(void *context) {
  uint8_t bytes[4];
  (void)context;
  any_bytes(bytes, sizeof bytes);
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int raise_counter(void *context, uint32_t least) {
  (void)context, (void)least;
  return any_choice();
}

static enum pg_image_result lock(void *context) {
  (void)context;
  if (any_choice()) return PG_IMAGE_OK;
  return any_choice() ? PG_IMAGE_BUSY : PG_IMAGE_UNREADABLE;
}

static void unlock(void *context) { (void)context; }

static struct pg_boot_store store = {
    NULL, slot, header, write_slot, read_record, write_record, NULL, NULL, NULL, NULL};
static struct pg_image_rules rules;
static struct pg_boot boot;
static struct pg_image image;

void prove(void) {
  any_rules(&rules);
  if (any_choice()) {
    store.lock = lock;
    store.unlock = unlock;
  }
  if (any_choice()) {
    store.counter = counter;
    store.raise = raise_counter;
  }
  pg_boot_open(&boot, &store, &rules);
  boot.runs_in_place = any_choice();
  while (any_choice()) {
    any_bytes(update, SLOT);
    if (any_choice()) (void)pg_boot_install(&boot, update, any_number(0, SLOT));
    if (any_choice()) (void)pg_boot_choose(&boot, &image);
    if (any_choice()) (void)pg_boot_confirm(&boot);
  }
}
