/*
 * An attacker, or an unlucky day, with the flash while the power is off: every single bit of slots and boot record is
 * flipped, then bytes are spoilt at random, copied over others, taken back to what they were earlier, and boot
 * records forged whose checksum is right. Whatever the flash holds then, the device starts an image that is byte for
 * byte one of the maker's and not below the hardware's counter, or it says that there is none; where a slot holds
 * such an image it starts one; and it takes the next update. Also counts what an update wears.
 *
 * Usage: boot-corruption KEY PRODUCT ABI OLD TRIAL NEW LATER SEED TIMES; the counters of the images are 4, 5, 5, 6.
 * Output: a line of counts for each state; exit code 1 at the first fault.
 */
enum { SLOT = 512, NONE = -1, COUNTER_MIN = 5, EACH_UPDATE = 8 };

#include "maker-images.h"

/* Of the images. The new one mends nothing that an attacker would want back: the trial stays what it may go back to. */
static const uint32_t counters[IMAGES] = {4, 5, 5, 6};

static struct {
  long slots[2];
  long records[2];
} erased;
static unsigned long long random_state;

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  memcpy(into, flash.slots[slot] + at, size);
  return 1;
}
static int read_record(void *context, int copy, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  memcpy(into, flash.records[copy] + at, size);
  return 1;
}
static int program(uint8_t *memory, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) memory[i] &= bytes[i];
  return 1;
}
static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  return program(flash.slots[slot] + at, bytes, size);
}
static int program_record(void *context, int copy, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  return program(flash.records[copy] + at, bytes, size);
}
static int erase_slot(void *context, int slot) {
  (void)context;
  erased.slots[slot]++;
  memset(flash.slots[slot], 0xff, SLOT);
  return 1;
}
static int erase_record(void *context, int copy) {
  (void)context;
  erased.records[copy]++;
  memset(flash.records[copy], 0xff, RECORD);
  return 1;
}

static const struct pg_medium slot_medium = {
    .slot_bytes = SLOT, .read = read_slot, .program = program_slot, .erase = erase_slot};
static const struct pg_medium record_medium = {
    .slot_bytes = RECORD, .read = read_record, .program = program_record, .erase = erase_record};

static void fail(const char *state, const char *what, long step) {
  printf("%s, step %ld: %s\n", state, step, what);
  for (int copy = 0; copy < 2; copy++) {
    printf("record %d: ", copy);
    for (int at = 0; at < PG_BOOT_RECORD_BYTES; at++) printf("%02x", flash.records[copy][at]);
    printf("\n");
  }
  exit(1);
}

static void open_boot(struct pg_boot *boot) {
  static const struct pg_boot_flash area = {.slots = &slot_medium,
                                            .records = &record_medium,
                                            .mapped = {flash.slots[0], flash.slots[1]}};
  static struct pg_boot_store store;
  store = pg_boot_flash_store;
  store.context = (void *)(uintptr_t)&area;
  pg_boot_open(boot, &store, &rules);
}

static enum pg_image_result install(int image) {
  struct pg_boot boot;
  open_boot(&boot);
  return pg_boot_install(&boot, images[image], sizes[image]);
}

/* The image in a slot, judged without the loader's code: all bytes are one of the maker's. */
static int image_in(int slot) {
  for (int image = 0; image < IMAGES; image++) {
    if (memcmp(flash.slots[slot], images[image], sizes[image]) == 0) return image;
  }
  return NONE;
}

/* Starts. The image that runs, or NONE; `confirms`: it finds itself good. */
static int start(const char *state, long step, int confirms) {
  struct pg_boot boot;
  struct pg_image found;
  open_boot(&boot);
  if (pg_boot_choose(&boot, &found) != PG_IMAGE_OK) return NONE;
  int slot = found.code == flash.slots[1] + PG_IMAGE_HEADER_BYTES;
  int image = image_in(slot);
  if (found.code != flash.slots[slot] + PG_IMAGE_HEADER_BYTES || image == NONE) {
    fail(state, "what runs is not the maker's", step);
  }
  if (found.counter < rules.counter_min) fail(state, "what runs is below the hardware's counter", step);
  if (confirms && pg_boot_confirm(&boot) != PG_IMAGE_OK) fail(state, "it cannot be confirmed", step);
  return image;
}

static unsigned below(unsigned bound) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % bound;
}

/* A record that the loader takes for its own, with anything in it. */
static void forge_record(uint8_t *record) {
  uint8_t hash[PG_SHA512_BYTES];
  for (int at = 0; at < 40; at++) record[at] = (uint8_t)below(256);
  memcpy(record, "PGBR\0\2", 6);
  for (int at = 6; at < 8; at++) record[at] = (uint8_t[]){0, 1, 255, 2}[below(4)];
  record[8] = (uint8_t)below(5);
  if (below(2)) memset(record + 12, 0, 4);
  /* The oldest key that counts: any, or the device's own. */
  if (below(2)) memcpy(record + 24, images[OLD] + 160, PG_KEY_ID_BYTES);
  pg_image_crypto.sha512(hash, record, 40, NULL, 0);
  memcpy(record + 40, hash, 8);
}

/* One thing that happens to the flash, or that somebody does to it. 1 where a record was forged. */
static int spoil(const struct flash *earlier) {
  uint8_t *bytes = (uint8_t *)&flash;
  unsigned at = below(sizeof flash);
  unsigned size = 1 + below(below(4) ? 16 : SLOT);
  if (size > sizeof flash - at) size = sizeof flash - at;
  switch (below(7)) {
    case 0:
      bytes[at] ^= (uint8_t)(1 << below(8));
      break;
    case 1:
      for (unsigned i = 0; i < size; i++) bytes[at + i] = (uint8_t)below(256);
      break;
    case 2:
      memset(bytes + at, below(2) ? 0xff : 0, size);
      break;
    case 3:
      memmove(bytes + at, bytes + below(sizeof flash - size + 1), size);
      break;
    case 4:
      memcpy(bytes + at, (const uint8_t *)earlier + at, size);
      break;
    case 5:
      forge_record(flash.records[below(2)]);
      return 1;
    default:
      memcpy(flash.slots[below(2)], images[below(NEW + 1)], SLOT);
  }
  return 0;
}

/*
 * What must hold whatever the flash holds. `floor` is the counter of what the device had confirmed, which a forged
 * record says otherwise. Returns the image that ran.
 */
static int judge(const char *state, long step, uint32_t floor, int is_forged) {
  int is_there = 0;
  if (floor < rules.counter_min) floor = rules.counter_min;
  for (int slot = 0; slot < 2; slot++) {
    int image = image_in(slot);
    if (image != NONE && counters[image] >= floor) is_there = 1;
  }
  int image = start(state, step, 1);
  if (image == NONE && is_there && !is_forged) fail(state, "what may run does not", step);
  if (image == NONE) return image;
  if (start(state, step, 1) != image) fail(state, "another image runs at the second start", step);
  if (step % EACH_UPDATE > 0) return image;
  if (install(LATER) == PG_IMAGE_OK) {
    if (start(state, step, 1) != LATER) fail(state, "the update does not run", step);
  } else if (!is_forged) {
    fail(state, "no further update is possible", step);
  }
  return image;
}

static void report(const char *state, const char *what, long times, const long counts[IMAGES + 1]) {
  printf("%s, %s %ld times: none runs %ld times, the old one %ld, the trial %ld, the new one %ld, a later one %ld\n",
         state, what, times, counts[0], counts[1 + OLD], counts[1 + TRIAL], counts[1 + NEW], counts[1 + LATER]);
}

static void flip_every_bit(const char *state, const struct flash *before, uint32_t floor) {
  long counts[IMAGES + 1] = {0};
  long bits = 0;
  for (size_t at = 0; at < sizeof flash; at++) {
    /* Behind what is used nobody reads. */
    size_t in_slot = at % SLOT;
    if (at < sizeof flash.slots ? in_slot >= sizes[OLD] : (at - sizeof flash.slots) % RECORD >= PG_BOOT_RECORD_BYTES) {
      continue;
    }
    for (int bit = 0; bit < 8; bit++) {
      flash = *before;
      ((uint8_t *)&flash)[at] ^= (uint8_t)(1 << bit);
      counts[1 + judge(state, bits++, floor, 0)]++;
    }
  }
  report(state, "a bit flipped", bits, counts);
}

static void spoil_at_random(const char *state, const struct flash *before, uint32_t floor, long times) {
  struct flash as_made;
  long counts[IMAGES + 1] = {0};
  memset(&as_made, 0xff, sizeof as_made);
  memcpy(as_made.slots[0], images[OLD], SLOT);
  for (long step = 0; step < times; step++) {
    int is_forged = 0;
    flash = *before;
    for (unsigned deeds = 1 + below(4); deeds > 0; deeds--) is_forged |= spoil(&as_made);
    counts[1 + judge(state, step, floor, is_forged)]++;
  }
  report(state, "spoilt", times, counts);
}

static void attack(const char *state, uint32_t floor, long times) {
  struct flash before = flash;
  flip_every_bit(state, &before, floor);
  spoil_at_random(state, &before, floor, times);
  /* The hardware's counter stands above the old image: nothing written brings that back. */
  rules.counter_min = COUNTER_MIN;
  spoil_at_random(state, &before, floor, times);
  rules.counter_min = 0;
  flash = before;
}

/* A start that has nothing to decide writes nothing; an update erases its slot once, and each copy twice at most. */
static void measure_wear(void) {
  memset(&erased, 0, sizeof erased);
  for (int starts = 0; starts < 100; starts++) (void)start("wear", starts, 1);
  if (erased.records[0] + erased.records[1] + erased.slots[0] + erased.slots[1] > 0) {
    fail("wear", "a start writes", 0);
  }
  if (install(LATER) != PG_IMAGE_OK || start("wear", 0, 1) != LATER) fail("wear", "no update", 0);
  printf("an update erases slots %ld and %ld times, copies of the record %ld and %ld times\n", erased.slots[0],
         erased.slots[1], erased.records[0], erased.records[1]);
  if (erased.slots[0] + erased.slots[1] != 1 || erased.records[0] > 2 || erased.records[1] > 2) {
    fail("wear", "an update erases more than it needs", 0);
  }
}

/* A trial that is never confirmed has its starts and is given up: that, too, has an end. */
static void measure_trial(void) {
  memset(&erased, 0, sizeof erased);
  for (int starts = 0; starts < 100; starts++) (void)start("trial", starts, 0);
  printf("a trial that fails erases copies of the record %ld and %ld times\n", erased.records[0], erased.records[1]);
  if (erased.records[0] + erased.records[1] != PG_BOOT_TRIES + 1) fail("trial", "the record wears", 0);
}

int main(int count, char **arguments) {
  if (count != 10) return 2;
  read_images(arguments + 1);
  random_state = strtoull(arguments[8], NULL, 10);
  long times = strtol(arguments[9], NULL, 10);

  factory();
  attack("as the factory wrote it", 0, times);
  if (start("", 0, 1) != OLD || install(TRIAL) != PG_IMAGE_OK) return 1;
  struct flash with_trial = flash;
  attack("with a trial", counters[OLD], times);
  measure_trial();
  flash = with_trial;
  if (start("", 0, 0) != TRIAL) return 1;
  attack("with a trial that was started", counters[OLD], times);
  if (start("", 0, 1) != TRIAL) return 1;
  attack("with the trial confirmed", counters[TRIAL], times);
  if (install(NEW) != PG_IMAGE_OK || start("", 0, 1) != NEW) return 1;
  attack("after another update", counters[NEW], times);
  measure_wear();
  return 0;
}
