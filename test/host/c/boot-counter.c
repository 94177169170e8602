/*
 * A chip with a counter of its own (boot.h): both copies of the boot record are deleted at every step of a device's
 * life, and an older image is put into a slot, or installed; it must not run. Without the counter it does, which is what
 * an integrator must lock (targets/image/FORMAT.md).
 *
 * Output: `with N refused, without M taken`; it aborts at the first fault.
 */
#include "../fuzz/boot-in-ram.h"

enum { RELEASES = 6 };

static uint32_t counted;
static int raise_fails;

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

static enum pg_image_result install(uint8_t number) {
  uint8_t image[IMAGE];
  struct pg_boot boot;
  make_image(image, number, 0, 0, number);
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
    make_image(slots[0], older, 0, 0, older);
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
