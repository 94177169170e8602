/*
 * A chip with a counter of its own (boot.h): both copies of the boot record are deleted at every step of a device's
 * life, and an older image is put into a slot, or installed; it must not run. Without the counter it does, which is what
 * an integrator must lock (targets/image/FORMAT.md).
 *
 * Output: `with N refused, without M taken`; exit code 1 at the first fault.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../fuzz/fake-crypto.h"
#include "boot.h"

enum { IMAGE = PG_IMAGE_HEADER_BYTES + 4 + PG_SIGNATURE_BYTES, RELEASES = 6 };

static const uint8_t keys[1][PG_PUBLIC_KEY_BYTES] = {{5}};
static const struct pg_image_target targets[] = {{"any", "es5"}};
static const struct pg_image_rules rules = {
    .crypto = &fake_crypto,
    .keys = keys,
    .key_count = 1,
    .targets = targets,
    .target_count = 1,
    .product = "tv",
    .limit = IMAGE,
};

static uint8_t slots[2][IMAGE];
static uint8_t records[2][PG_BOOT_RECORD_BYTES];
static uint32_t counted;
static int raise_fails;

static void check(int holds, const char *what) {
  if (holds) return;
  puts(what);
  exit(1);
}

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
  memcpy(slots[at], bytes, size);
  return 1;
}
static int read_record(void *context, int copy, uint8_t record[PG_BOOT_RECORD_BYTES]) {
  (void)context;
  memcpy(record, records[copy], PG_BOOT_RECORD_BYTES);
  return 1;
}
static int write_record(void *context, int copy, const uint8_t record[PG_BOOT_RECORD_BYTES]) {
  (void)context;
  memcpy(records[copy], record, PG_BOOT_RECORD_BYTES);
  return 1;
}
static uint32_t counter(void *context) {
  (void)context;
  return counted;
}
static int raise_counter(void *context, uint32_t least) {
  (void)context;
  if (raise_fails) return 0;
  check(least > counted, "the counter is raised to where it is");
  counted = least;
  return 1;
}

static struct pg_boot_store store = {
    .slot = slot,
    .header = header,
    .write_slot = write_slot,
    .read_record = read_record,
    .write_record = write_record,
};

static void make_image(uint8_t *bytes, uint8_t number) {
  static const uint8_t begin[] = {0x50, 0x47, 0x49, 0x4d, 0x47, 0x0d, 0x0a, 0x1a, 0, 2, 0, 240, 0, 1};
  uint8_t hash[PG_SHA512_BYTES];
  memset(bytes, 0, IMAGE);
  memcpy(bytes, begin, sizeof begin);
  bytes[18] = IMAGE >> 8;
  bytes[19] = (uint8_t)IMAGE;
  bytes[23] = 4;
  bytes[31] = number;
  memcpy(bytes + 32, "any", 3);
  memcpy(bytes + 48, "es5", 3);
  memcpy(bytes + 80, "tv", 2);
  memcpy(bytes + 112, "1", 1);
  fake_sha512(hash, keys[0], PG_PUBLIC_KEY_BYTES, NULL, 0);
  memcpy(bytes + FAKE_AT_KEY_ID, hash, PG_KEY_ID_BYTES);
  bytes[PG_IMAGE_HEADER_BYTES] = number;
  fake_seal(bytes, IMAGE);
}

static enum pg_image_result install(uint8_t number) {
  uint8_t image[IMAGE];
  struct pg_boot boot;
  make_image(image, number);
  pg_boot_open(&boot, &store, &rules);
  return pg_boot_install(&boot, image, IMAGE);
}

/* The number of the image that starts, 0: none; `confirmed` says how its confirmation ended. */
static int start(enum pg_image_result *confirmed) {
  struct pg_boot boot;
  struct pg_image image;
  pg_boot_open(&boot, &store, &rules);
  if (pg_boot_choose(&boot, &image) != PG_IMAGE_OK) return 0;
  *confirmed = pg_boot_confirm(&boot);
  return (int)image.counter;
}

/* How many older images ran or could be installed once the records were gone. */
static int attack(uint8_t newest) {
  uint8_t kept_slots[2][IMAGE];
  uint8_t kept_records[2][PG_BOOT_RECORD_BYTES];
  uint32_t kept_count = counted;
  enum pg_image_result unused;
  int taken = 0;
  memcpy(kept_slots, slots, sizeof slots);
  memcpy(kept_records, records, sizeof records);
  for (uint8_t older = 1; older < newest; older++) {
    memset(records, 0xff, sizeof records);
    make_image(slots[0], older);
    memset(slots[1], 0xff, IMAGE);
    taken += start(&unused) == older;
    memcpy(slots, kept_slots, sizeof slots);
    memset(records, 0xff, sizeof records);
    counted = kept_count;
    taken += install(older) == PG_IMAGE_OK;
    memcpy(slots, kept_slots, sizeof slots);
    memcpy(records, kept_records, sizeof records);
    counted = kept_count;
  }
  return taken;
}

static int live(void) {
  int taken = 0;
  memset(slots, 0xff, sizeof slots);
  memset(records, 0xff, sizeof records);
  counted = 0;
  for (uint8_t number = 1; number <= RELEASES; number++) {
    enum pg_image_result confirmed;
    check(install(number) == PG_IMAGE_OK, "a newer image is not installed");
    check(start(&confirmed) == number && confirmed == PG_IMAGE_OK, "a newer image does not start");
    check(start(&confirmed) == number, "a confirmed image does not start again");
    taken += attack(number);
    check(start(&confirmed) == number, "the device does not go on");
  }
  return taken;
}

int main(void) {
  enum pg_image_result confirmed;
  int without = live();
  store.counter = counter;
  store.raise = raise_counter;
  check(live() == 0, "an older image runs once the records are gone");
  check(counted == RELEASES, "the counter was not raised");
  /* A counter that cannot be raised: the image runs, and its confirmation is tried again. */
  raise_fails = 1;
  check(install(RELEASES + 1) == PG_IMAGE_OK, "not installed");
  check(start(&confirmed) == RELEASES + 1 && confirmed == PG_IMAGE_UNREADABLE, "confirmed without the counter");
  raise_fails = 0;
  check(start(&confirmed) == RELEASES + 1 && confirmed == PG_IMAGE_OK, "not confirmed later");
  check(counted == RELEASES + 1, "not raised later");
  printf("with %d refused, without %d taken\n", RELEASES * (RELEASES - 1), without);
  return 0;
}
