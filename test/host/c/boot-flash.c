/*
 * Images in flash, cut and failed at every step. A flash in memory takes erasures and programmed bytes one by one
 * until its budget is used up: then the power is gone (half a sector erased, half a byte programmed), or the
 * call fails, once or from there on. An image is installed whole, or in pieces into a slot that is read in
 * memory. Afterwards the device must start the old image or the new one, start the
 * same once more, and take a further update.
 *
 * Usage: boot-flash KEY PRODUCT ABI OLD TRIAL NEW LATER, the last four files with images of rising counters.
 * Output: a line of counts for each sweep; exit code 1 at the first fault.
 */
enum { SLOT = 1024, PIECE = 64, NOTHING = -1, NONE = -2, PIECES = -3 };

#include "maker-images.h"

enum fault { WELL, CUT, ONCE, ON };

static uint8_t rooms[2][SLOT];
static struct pg_boot_flash area;
static int is_mapped;

/* Units left until the fault: a byte programmed, an eighth of a sector erased, a call of `read`. */
static enum fault fault;
static long budget;
static int has_failed;

/* Whether the next unit of work is done. */
static int works(void) {
  if (fault == WELL) return 1;
  if (has_failed && fault != ONCE) return 0;
  if (budget-- != 0) return 1;
  has_failed = 1;
  return 0;
}

static int read_from(const uint8_t *memory, uint32_t at, uint8_t *into, size_t size) {
  if (fault != CUT && !works()) return 0;
  memcpy(into, memory + at, size);
  return 1;
}

static int program_to(uint8_t *memory, uint32_t at, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (!works()) {
      if (fault == CUT && budget == -1) memory[at + i] &= bytes[i] | 0x55;
      if (fault == CUT) budget--;
      return 0;
    }
    memory[at + i] &= bytes[i];
  }
  return 1;
}

static int erase_all(uint8_t *memory, size_t size) {
  for (size_t part = 0; part < 8; part++) {
    if (!works()) return 0;
    memset(memory + part * size / 8, 0xff, size / 8);
  }
  return 1;
}

static int slot_read(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  return read_from(flash.slots[slot], at, into, size);
}
static int slot_program(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  return program_to(flash.slots[slot], at, bytes, size);
}
static int slot_erase(void *context, int slot) {
  (void)context;
  return erase_all(flash.slots[slot], SLOT);
}
static int record_read(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  return read_from(flash.records[slot], at, into, size);
}
static int record_program(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  return program_to(flash.records[slot], at, bytes, size);
}
static int record_erase(void *context, int slot) {
  (void)context;
  return erase_all(flash.records[slot], RECORD);
}

static const struct pg_medium slot_medium = {
    .slot_bytes = SLOT, .read = slot_read, .program = slot_program, .erase = slot_erase};
static const struct pg_medium record_medium = {
    .slot_bytes = RECORD, .read = record_read, .program = record_program, .erase = record_erase};

static void fail(const char *what, long step) {
  printf("%s at step %ld\n", what, step);
  exit(1);
}

static void open_boot(struct pg_boot *boot) {
  static struct pg_boot_store store;
  store = pg_boot_flash_store;
  store.context = &area;
  area = (struct pg_boot_flash){.slots = &slot_medium, .records = &record_medium};
  for (int slot = 0; slot < 2; slot++) {
    if (is_mapped) area.mapped[slot] = flash.slots[slot];
    else area.room[slot] = rooms[slot];
  }
  pg_boot_open(boot, &store, &rules);
}

static enum pg_image_result install(int image) {
  struct pg_boot boot;
  open_boot(&boot);
  return pg_boot_install(&boot, images[image], sizes[image]);
}

/* Starts, and confirms. The number of the image that runs, or NONE. */
static int start(void) {
  struct pg_boot boot;
  struct pg_image found;
  open_boot(&boot);
  if (pg_boot_choose(&boot, &found) != PG_IMAGE_OK) return NONE;
  int runs = NONE;
  for (int image = 0; image < IMAGES; image++) {
    if (memcmp(found.hash, images[image] + PG_IMAGE_HEADER_BYTES - PG_SHA512_BYTES, PG_SHA512_BYTES) == 0) {
      runs = image;
    }
  }
  (void)pg_boot_confirm(&boot);
  return runs;
}

/* A device that runs out of its slot starts, confirms, and takes a new image piece by piece. */
static enum pg_image_result install_in_pieces(int image) {
  struct pg_boot boot;
  struct pg_image found;
  int slot = 0;
  open_boot(&boot);
  boot.runs_in_place = 1;
  if (pg_boot_choose(&boot, &found) != PG_IMAGE_OK) return PG_IMAGE_NONE;
  (void)pg_boot_confirm(&boot);
  enum pg_image_result result = pg_boot_begin_install(&boot, &slot);
  if (result != PG_IMAGE_OK) return result;
  if (!slot_erase(NULL, slot)) return PG_IMAGE_UNREADABLE;
  for (size_t at = 0; at < sizes[image]; at += PIECE) {
    size_t size = sizes[image] - at < PIECE ? sizes[image] - at : PIECE;
    if (!slot_program(NULL, slot, (uint32_t)at, images[image] + at, size)) return PG_IMAGE_UNREADABLE;
  }
  return pg_boot_end_install(&boot, slot);
}

static void act(int what) {
  if (what == NOTHING) (void)start();
  else if (what == PIECES) (void)install_in_pieces(NEW);
  else (void)install(what);
}

static void begin(enum fault kind, long step) {
  fault = kind;
  budget = step;
  has_failed = 0;
}

/* One step of a sweep. 0: the action came to its end before it. */
static int sweep_step(const struct flash *before, int what, enum fault kind, long step, int newest,
                      long counts[IMAGES]) {
  flash = *before;
  begin(kind, step);
  act(what);
  int was_hit = has_failed;
  begin(WELL, 0);
  int runs = start();
  if (runs != OLD && runs != NEW && runs != newest) fail("nothing that may run runs", step);
  counts[runs]++;
  if (start() != runs) fail("another image runs at the second start", step);
  if (install(LATER) != PG_IMAGE_OK || start() != LATER) fail("no further update is possible", step);
  return was_hit;
}

static void sweep(const char *name, const struct flash *before, int what, int newest) {
  static const char *const faults[] = {"", "power cuts", "single failures", "failures from there on"};
  for (enum fault kind = CUT; kind <= ON; kind++) {
    long counts[IMAGES] = {0};
    long step = 0;
    while (sweep_step(before, what, kind, step, newest, counts)) step++;
    printf("%s, %s, %s: %ld %s; then the old one runs %ld times, a trial %ld, the new one %ld\n", name,
           what == NOTHING ? "start" : what == PIECES ? "update in pieces" : "update", is_mapped ? "mapped" : "read", step, faults[kind],
           counts[OLD], counts[TRIAL], counts[NEW]);
  }
}

static void sweep_history(const char *name, int newest) {
  struct flash before = flash;
  sweep(name, &before, NEW, newest);
  if (is_mapped) sweep(name, &before, PIECES, newest);
  flash = before;
  if (install(NEW) != PG_IMAGE_OK) fail("no update is possible", 0);
  before = flash;
  sweep(name, &before, NOTHING, newest);
}

/* What runs out of its slot is not overwritten under its feet. */
static void refuse_in_place(void) {
  struct pg_boot boot;
  struct pg_image found;
  factory();
  if (start() != OLD || install(TRIAL) != PG_IMAGE_OK) fail("no update is possible", 0);
  open_boot(&boot);
  boot.runs_in_place = 1;
  if (pg_boot_choose(&boot, &found) != PG_IMAGE_OK) fail("nothing runs", 0);
  if (pg_boot_install(&boot, images[NEW], sizes[NEW]) != PG_IMAGE_IN_USE) fail("in use", 0);
  if (pg_boot_confirm(&boot) != PG_IMAGE_OK) fail("no confirmation", 0);
  if (pg_boot_install(&boot, images[NEW], sizes[NEW]) != PG_IMAGE_OK) fail("no update", 0);
  if (start() != NEW) fail("the new one does not run", 0);
}

/* An update in pieces never takes the slot that a device would go back to, and runs only if it is good. */
static void refuse_pieces(void) {
  struct pg_boot boot;
  struct pg_image found;
  int slot = 0;
  factory();
  if (start() != OLD || install(TRIAL) != PG_IMAGE_OK) fail("no update is possible", 0);
  struct flash before = flash;
  open_boot(&boot);
  if (pg_boot_choose(&boot, &found) != PG_IMAGE_OK) fail("nothing runs", 0);
  if (pg_boot_begin_install(&boot, &slot) != PG_IMAGE_IN_USE) fail("the slot to go back to", 0);
  if (pg_boot_end_install(&boot, 0) != PG_IMAGE_IN_USE) fail("nothing was begun", 0);
  flash = before;
  images[NEW][PIECE]++;
  if (install_in_pieces(NEW) != PG_IMAGE_DAMAGED) fail("a damaged image is taken", 0);
  images[NEW][PIECE]--;
  if (start() != TRIAL) fail("the image before does not run", 0);
  if (install_in_pieces(NEW) != PG_IMAGE_OK || start() != NEW) fail("no update in pieces", 0);
}

int main(int count, char **arguments) {
  if (count != 8) return 2;
  read_images(arguments + 1);
  for (is_mapped = 0; is_mapped < 2; is_mapped++) {
    factory();
    sweep_history("as the factory wrote it", OLD);
    factory();
    if (start() != OLD) fail("the first image does not run", 0);
    sweep_history("with a good image", OLD);
    factory();
    if (start() != OLD || install(TRIAL) != PG_IMAGE_OK) fail("no trial", 0);
    sweep_history("with a trial", TRIAL);
    refuse_in_place();
    if (is_mapped) refuse_pieces();
  }
  memset(&flash, 0xff, sizeof flash);
  return start() == NONE ? 0 : 1;
}
