/*
 * Fuzzes the boot state: slots and records that hold anything, then installations, starts and confirmations in any
 * order, on a medium that fails at times, with another program installing in between. What must hold, holds
 * after each: an image that verifies is started, the last one that verifies is never overwritten, the counter
 * never falls, and only what ran is good.
 */
#include "boot-in-ram.h"

enum { STEPS_MAX = 24, RECORD = PG_BOOT_RECORD_BYTES };

/* An image of this number: its counter, its key, and whether it retires the older one. */
static void make_numbered(uint8_t *bytes, uint8_t number) {
  make_image(bytes, number & 15, number >> 6 & 1, number >> 7, number);
}

/* A record as the input has it, its checksum right. */
static void take_record(uint8_t *record, const uint8_t *bytes) {
  uint8_t hash[PG_SHA512_BYTES];
  memcpy(record, bytes, RECORD);
  memcpy(record, "PGBR\0\2", 6);
  /* Nobody writes 2^63 times. */
  record[16] &= 0x7f;
  fake_sha512(hash, record, 40, NULL, 0);
  memcpy(record + 40, hash, 8);
}

/* What the record says now. */
static struct pg_boot look(void) {
  struct pg_boot boot;
  pg_boot_open(&boot, &store, &rules);
  /* A confirmation of nothing reads nothing; an installation of nothing reads the record alone. */
  check(pg_boot_install(&boot, slots[0], 0) == PG_IMAGE_TRUNCATED, "nothing is not installed");
  return boot;
}

static int is_valid(const struct pg_boot *boot, int at) {
  struct pg_image image;
  return slots[at][0] != 0xff && pg_image_check(slots[at], IMAGE, &rules, &boot->floor, &image) == PG_IMAGE_OK;
}

static void install(uint8_t number) {
  uint8_t image[IMAGE];
  uint8_t before[2][IMAGE];
  struct pg_boot boot = look();
  int valid[2] = {is_valid(&boot, 0), is_valid(&boot, 1)};
  memcpy(before, slots, sizeof slots);
  make_numbered(image, number);
  pg_boot_open(&boot, &store, &rules);
  enum pg_image_result result = pg_boot_install(&boot, image, IMAGE);
  int kept = 0;
  for (int at = 0; at < 2; at++) kept |= valid[at] && memcmp(before[at], slots[at], IMAGE) == 0;
  check(kept || (!valid[0] && !valid[1]), "the last valid image is not overwritten");
  if (result != PG_IMAGE_OK) return;
  boot = look();
  check(boot.trial < 2 && boot.tries == PG_BOOT_TRIES && boot.trial != boot.good, "what is installed is tried");
  check(memcmp(slots[boot.trial], image, IMAGE) == 0, "what is installed is tried");
}

/* Starts, lets another program install where the input says so, and confirms. */
static void start(uint8_t how, uint8_t number) {
  struct pg_boot boot = look();
  struct pg_image image;
  uint32_t counter = boot.floor.counter;
  int can_run = is_valid(&boot, 0) || is_valid(&boot, 1);
  pg_boot_open(&boot, &store, &rules);
  enum pg_image_result result = pg_boot_choose(&boot, &image);
  check((result == PG_IMAGE_OK) == can_run, "a valid image is started");
  if (result != PG_IMAGE_OK) return;
  int running = boot.running;
  check(image.code == slots[running] + PG_IMAGE_HEADER_BYTES, "a valid image is started");
  if (how & 1) install(number);
  if (how & 2) return;
  int is_there = memcmp(image.hash, slots[running] + FAKE_AT_HASH, PG_SHA512_BYTES) == 0;
  struct pg_boot before = look();
  if (pg_boot_confirm(&boot) != PG_IMAGE_OK) return;
  struct pg_boot after = look();
  check(after.floor.counter >= counter, "the counter never falls");
  if (is_there) {
    check(after.good == running && after.trial != running, "what ran and is confirmed is good");
    check(after.floor.counter >= image.counter, "the counter never falls");
  } else {
    /* Another image has taken its place, and that one did not run. */
    check(after.good == before.good && after.trial == before.trial, "only what ran is good");
    check(after.floor.counter == before.floor.counter, "only what ran is good");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t needed = 4 + 2 * RECORD;
  if (size < needed) return 0;
  writes_fail = 0;
  memset(records, 0xff, sizeof records);
  for (int at = 0; at < 2; at++) {
    memset(slots[at], 0xff, IMAGE);
    if (bytes[at] & 32) make_numbered(slots[at], bytes[at]);
    if (bytes[at] & 16) slots[at][IMAGE / 2] ^= 1;
    if (bytes[2 + at] & 1) take_record(records[at], bytes + 4 + at * RECORD);
  }
  for (size_t step = 0; step < STEPS_MAX && needed + 2 * step + 1 < size; step++) {
    const uint8_t *next = bytes + needed + 2 * step;
    writes_fail = (next[0] & 48) == 48;
    if (next[0] & 64) install(next[1]);
    else start(next[0], next[1]);
    writes_fail = 0;
  }
  return 0;
}
