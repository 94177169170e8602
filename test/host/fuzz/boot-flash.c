/*
 * Fuzzes the boot over flash (boot.c on boot-flash.c and units.c) with cuts: two slots and two boot records of flash with
 * units of 1 to 64 bytes, each programmed once between erasures. The input is a geometry and steps; each installs an
 * image of any counter or starts and perhaps confirms, and the power goes after any number of units, in the middle of
 * the next one. A flash with a code (ECC) cannot read that one then.
 *
 * A chip may have a counter of its own; then both records may vanish, too.
 *
 * What must hold: flash is used as medium.h says; from the first confirmed image on the device starts with an image that
 * verifies; none is older than the newest that was confirmed; what it starts with it starts with again.
 */
#include <stdlib.h>

#include "bound.h"
#include "boot-flash.h"
#include "small-image.h"

enum { SLOT = 512, RECORD = 64, STEPS_MAX = 40, WELL = -1 };

struct area {
  size_t size;
  uint8_t bytes[2][SLOT];
  uint8_t is_programmed[2][SLOT];
  uint8_t is_torn[2][SLOT];
};

static struct area slots;
static struct area records;
static struct pg_medium slot_medium;
static struct pg_medium record_medium;
static uint8_t rooms[2][SLOT];
static long budget; /* units until the power goes; WELL: it stays */
static int is_off;
static int has_code;

static size_t unit_of(void) { return slot_medium.program_unit; }

static void check_range(const struct area *area, int slot, uint32_t at, size_t size) {
  check(slot >= 0 && slot < 2 && size > 0, "flash is used within its slots");
  check(at % unit_of() == 0 && size % unit_of() == 0, "flash is used in its units");
  check(at + size <= area->size, "flash is used within its slots");
}

static int read_area(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  const struct area *area = context;
  check_range(area, slot, at, size);
  for (size_t i = 0; i < size && has_code; i++) {
    if (area->is_torn[slot][at + i]) return PG_MEDIUM_CORRUPT;
  }
  memcpy(into, area->bytes[slot] + at, size);
  return PG_MEDIUM_DONE;
}

/* Whether the next unit is done; the first that is not is torn. */
static int works(int *is_torn) {
  *is_torn = budget == 0 && !is_off;
  if (budget == 0) is_off = 1;
  if (budget > 0) budget--;
  return !is_off;
}

static int program_area(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  struct area *area = context;
  int is_torn;
  check_range(area, slot, at, size);
  for (size_t done = 0; done < size; done += unit_of()) {
    size_t here = at + done;
    int is_done = works(&is_torn);
    if (!is_done && !is_torn) return PG_MEDIUM_FAILED;
    check(!area->is_programmed[slot][here], "a unit is programmed once between erasures");
    memset(area->is_programmed[slot] + here, 1, unit_of());
    memset(area->is_torn[slot] + here, is_torn, unit_of());
    for (size_t i = 0; i < unit_of(); i++) area->bytes[slot][here + i] &= bytes[done + i] | (is_torn ? 0x5a : 0);
    if (is_torn) return PG_MEDIUM_FAILED;
  }
  return PG_MEDIUM_DONE;
}

/* Cut in the middle, the first half is erased, and what is behind it is as it was. */
static int erase_area(void *context, int slot) {
  struct area *area = context;
  int is_torn;
  int is_done = works(&is_torn);
  size_t size = is_done ? area->size : area->size / 2;
  check(slot >= 0 && slot < 2, "flash is used within its slots");
  if (!is_done && !is_torn) return PG_MEDIUM_FAILED;
  memset(area->bytes[slot], 0xff, size);
  memset(area->is_programmed[slot], 0, size);
  memset(area->is_torn[slot], 0, size);
  return is_done ? PG_MEDIUM_DONE : PG_MEDIUM_FAILED;
}

static struct pg_boot_flash flash = {
    .slots = &slot_medium, .records = &record_medium, .room = {rooms[0], rooms[1]}};
static struct pg_boot_store store;
static int has_counter;
static uint32_t counted;

static uint32_t read_counter(void *context) {
  (void)context;
  return counted;
}

static int raise_counter(void *context, uint32_t least) {
  int is_torn;
  (void)context;
  if (!works(&is_torn)) return 0;
  check(least > counted, "the chip's counter is raised, where it is");
  counted = least;
  return 1;
}

static void power_on(struct pg_boot *boot, long cut) {
  budget = cut;
  is_off = 0;
  store = pg_boot_flash_store;
  store.context = &flash;
  if (has_counter) {
    store.counter = read_counter;
    store.raise = raise_counter;
  }
  pg_boot_open(boot, &store, &rules);
}

/* The counter of the newest image that was confirmed; -1: none was. */
static int newest;
static int can_start;

static void install(uint8_t counter, long cut) {
  uint8_t image[IMAGE];
  struct pg_boot boot;
  make_image(image, counter, 0, 0, counter);
  power_on(&boot, cut);
  enum pg_image_result result = pg_boot_install(&boot, image, IMAGE);
  if (counter < newest) check(result != PG_IMAGE_OK, "none older than the newest that was confirmed");
  if (result == PG_IMAGE_OK) can_start = 1;
}

/* The counter of the image that starts, -1: none. */
static int start(int confirms, long cut) {
  struct pg_boot boot;
  struct pg_image image;
  power_on(&boot, cut);
  enum pg_image_result result = pg_boot_choose(&boot, &image);
  check(result == PG_IMAGE_OK || !can_start, "a device that started once starts");
  if (result != PG_IMAGE_OK) return -1;
  int counter = image.code[0];
  /* FORMAT.md: none that is older than what was confirmed. */
  check((uint32_t)counter == image.counter, "what starts is what was verified");
  check(counter >= newest, "none older than the newest that was confirmed");
  can_start = 1;
  if (confirms && pg_boot_confirm(&boot) == PG_IMAGE_OK) newest = counter;
  return counter;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 1) return 0;
  uint16_t unit = (uint16_t)(1u << bytes[0] % 7);
  has_code = bytes[0] >> 7;
  has_counter = bytes[0] >> 6 & 1;
  counted = 0;
  slots.size = SLOT;
  records.size = RECORD;
  slot_medium = (struct pg_medium){SLOT, read_area, program_area, erase_area, &slots, unit, unit};
  record_medium = (struct pg_medium){RECORD, read_area, program_area, erase_area, &records, unit, unit};
  struct area *areas[] = {&slots, &records};
  for (int i = 0; i < 2; i++) {
    memset(areas[i]->bytes, 0xff, sizeof areas[i]->bytes);
    memset(areas[i]->is_programmed, 0, sizeof areas[i]->is_programmed);
    memset(areas[i]->is_torn, 0, sizeof areas[i]->is_torn);
  }
  newest = -1;
  can_start = 0;
  for (size_t at = 1; at + 2 < size && at < 3 * STEPS_MAX; at += 3) {
    /* Mostly early: what is written is a few hundred units. */
    long cut = bytes[at] & 64 ? (bytes[at + 1] | (bytes[at] & 3) << 8) : WELL;
    if (bytes[at] & 128) install(bytes[at + 2] & 15, cut);
    else (void)start(bytes[at + 2] & 1, cut);
    if (bytes[at] & 16 && has_counter) {
      for (int copy = 0; copy < 2; copy++) {
        memset(records.bytes[copy], 0xff, RECORD);
        memset(records.is_programmed[copy], 0, RECORD);
        memset(records.is_torn[copy], 0, RECORD);
      }
    }
    if (bytes[at] & 32) continue;
    /* With power again: it starts, or nothing was ever there; and starts the same once more when it is confirmed. */
    int counter = start(1, WELL);
    if (counter >= 0) check(start(0, WELL) == counter, "what was confirmed starts again");
  }
  return 0;
}
