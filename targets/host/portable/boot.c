/*
 * The decisions about slots and boot record. Contract in boot.h; bytes and rules are
 * FORMAT.md's. Whatever changes the record takes the lock and reads it again first: what another
 * program has written in the meantime is never undone.
 */
#include "boot.h"

#include <string.h>

#include "assertion.h"

enum {
  SLOTS = 2,
  COPIES = 2,
  NO_SLOT = 255,
  AT_GOOD = 6,
  AT_TRIAL = 7,
  AT_TRIES = 8,
  AT_COUNTER = 12,
  AT_SEQUENCE = 16,
  AT_OLDEST_KEY = 24,
  AT_CHECKSUM = 40,
  CHECKSUM = 8,
  HEADER_AT_HASH = PG_IMAGE_HEADER_BYTES - PG_SHA512_BYTES
};

/* `PGBR`, version 2. */
static const uint8_t prefix[] = {'P', 'G', 'B', 'R', 0, 2};

static void put(uint8_t *at, uint64_t value, int size) {
  for (int i = size - 1; i >= 0; i--) {
    at[i] = (uint8_t)value;
    value >>= 8;
  }
}

static uint64_t get(const uint8_t *at, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | at[i];
  return value;
}

static int is_slot(uint8_t slot) { return slot < SLOTS || slot == NO_SLOT; }

/* The other slot; A where none is given. */
static int other(int slot) { return slot == 0; }

static void sum(const struct pg_boot *boot, const uint8_t *record, uint8_t hash[PG_SHA512_BYTES]) {
  boot->rules->crypto->sha512(hash, record, AT_CHECKSUM, NULL, 0);
}

static int is_record(const struct pg_boot *boot, const uint8_t *record) {
  uint8_t hash[PG_SHA512_BYTES];
  sum(boot, record, hash);
  return memcmp(record, prefix, sizeof prefix) == 0 &&
         memcmp(hash, record + AT_CHECKSUM, CHECKSUM) == 0 && is_slot(record[AT_GOOD]) &&
         is_slot(record[AT_TRIAL]) && record[AT_TRIES] <= PG_BOOT_TRIES;
}

static void take_record(struct pg_boot *boot, int copy, const uint8_t *record) {
  boot->copy = copy;
  boot->good = record[AT_GOOD];
  boot->trial = record[AT_TRIAL];
  boot->tries = record[AT_TRIES];
  boot->floor.counter = (uint32_t)get(record + AT_COUNTER, 4);
  boot->sequence = get(record + AT_SEQUENCE, 8);
  memcpy(boot->floor.oldest_key, record + AT_OLDEST_KEY, PG_KEY_ID_BYTES);
}

/* Where the chip's own counter stands; 0 without one. */
static uint32_t chip_counter(const struct pg_boot *boot) {
  return boot->store->counter ? boot->store->counter(boot->store->context) : 0;
}

/* The newer of the two copies. One that cannot be read counts as none: the slots may still be right. */
static void read_record(struct pg_boot *boot) {
  uint8_t record[PG_BOOT_RECORD_BYTES];
  boot->copy = -1;
  boot->good = boot->trial = NO_SLOT;
  boot->tries = 0;
  boot->sequence = 0;
  memset(&boot->floor, 0, sizeof boot->floor);
  for (int copy = 0; copy < COPIES; copy++) {
    if (!boot->store->read_record(boot->store->context, copy, record)) continue;
    if (!is_record(boot, record)) continue;
    if (boot->copy < 0 || get(record + AT_SEQUENCE, 8) > boot->sequence) {
      take_record(boot, copy, record);
    }
  }
  uint32_t least = chip_counter(boot);
  if (least > boot->floor.counter) boot->floor.counter = least;
}

/* Writes the copy that is not the newer one, so that one is whole at every moment. */
static int write_record(struct pg_boot *boot) {
  uint8_t record[PG_BOOT_RECORD_BYTES] = {0};
  uint8_t hash[PG_SHA512_BYTES];
  int copy = other(boot->copy < 0 ? 1 : boot->copy);
  PG_MUST(copy != boot->copy, "the newer copy of the record stays");
  PG_MUST(is_slot(boot->good) && is_slot(boot->trial), "a record names slots that there are");
  memcpy(record, prefix, sizeof prefix);
  record[AT_GOOD] = boot->good;
  record[AT_TRIAL] = boot->trial;
  record[AT_TRIES] = boot->tries;
  put(record + AT_COUNTER, boot->floor.counter, 4);
  put(record + AT_SEQUENCE, ++boot->sequence, 8);
  memcpy(record + AT_OLDEST_KEY, boot->floor.oldest_key, PG_KEY_ID_BYTES);
  sum(boot, record, hash);
  memcpy(record + AT_CHECKSUM, hash, CHECKSUM);
  if (!boot->store->write_record(boot->store->context, copy, record)) return 0;
  boot->copy = copy;
  return 1;
}

/* Becomes the only writer, on the record as it is now. */
static enum pg_image_result begin(struct pg_boot *boot) {
  enum pg_image_result result = PG_IMAGE_OK;
  if (boot->store->lock) result = boot->store->lock(boot->store->context);
  if (result == PG_IMAGE_OK) read_record(boot);
  return result;
}

static void finish(struct pg_boot *boot) {
  if (boot->store->unlock) boot->store->unlock(boot->store->context);
}

static enum pg_image_result check_slot(struct pg_boot *boot, int slot, struct pg_image *image) {
  const uint8_t *bytes = NULL;
  size_t size = 0;
  enum pg_image_result result = boot->store->slot(boot->store->context, slot, &bytes, &size);
  if (result != PG_IMAGE_OK) return result;
  return pg_image_check(bytes, size, boot->rules, &boot->floor, image);
}

static enum pg_image_result run(struct pg_boot *boot, int slot) {
  struct pg_image image;
  enum pg_image_result result = check_slot(boot, slot, &image);
  if (result == PG_IMAGE_OK) {
    boot->image = image;
    boot->running = boot->chosen = slot;
  }
  return result;
}

/* The valid slot with the higher counter, A where they are equal; NO_SLOT where none is valid. */
static int best_slot(struct pg_boot *boot) {
  int best = NO_SLOT;
  uint32_t counter = 0;
  for (int slot = 0; slot < SLOTS; slot++) {
    struct pg_image image;
    if (check_slot(boot, slot, &image) != PG_IMAGE_OK) continue;
    if (best != NO_SLOT && image.counter <= counter) continue;
    best = slot;
    counter = image.counter;
  }
  return best;
}

/* What an installation must leave alone; NO_SLOT where neither slot can run. */
static int kept_slot(struct pg_boot *boot) {
  struct pg_image image;
  if (boot->good < SLOTS && check_slot(boot, boot->good, &image) == PG_IMAGE_OK) return boot->good;
  return best_slot(boot);
}

void pg_boot_open(struct pg_boot *boot, const struct pg_boot_store *store,
                  const struct pg_image_rules *rules) {
  memset(boot, 0, sizeof *boot);
  boot->store = store;
  boot->rules = rules;
  boot->copy = boot->running = boot->chosen = boot->refused = -1;
  boot->good = boot->trial = NO_SLOT;
}

static enum pg_image_result make_trial(struct pg_boot *boot, int slot) {
  boot->trial = (uint8_t)slot;
  boot->tries = PG_BOOT_TRIES;
  return write_record(boot) ? PG_IMAGE_OK : PG_IMAGE_UNREADABLE;
}

static enum pg_image_result install_alone(struct pg_boot *boot, const uint8_t *bytes, size_t size) {
  struct pg_image image;
  enum pg_image_result result = pg_image_check(bytes, size, boot->rules, &boot->floor, &image);
  if (result != PG_IMAGE_OK) return result;
  int kept = kept_slot(boot);
  int slot = other(kept == NO_SLOT ? boot->good : kept);
  if (boot->runs_in_place && boot->chosen == slot) return PG_IMAGE_IN_USE;
  int is_named = boot->trial == slot || boot->good == slot;
  if (is_named || (kept != NO_SLOT && boot->good != kept)) {
    /* The record must not name a slot that is being written. */
    if (kept != NO_SLOT) boot->good = (uint8_t)kept;
    boot->trial = NO_SLOT;
    boot->tries = 0;
    if (!write_record(boot)) return PG_IMAGE_UNREADABLE;
  }
  PG_MUST(boot->good != slot && boot->trial != slot, "a slot that is written has no name");
  if (!boot->store->write_slot(boot->store->context, slot, bytes, size)) return PG_IMAGE_UNREADABLE;
  return make_trial(boot, slot);
}

enum pg_image_result pg_boot_install(struct pg_boot *boot, const uint8_t *bytes, size_t size) {
  enum pg_image_result result = begin(boot);
  if (result != PG_IMAGE_OK) return result;
  result = install_alone(boot, bytes, size);
  finish(boot);
  return result;
}

/* Whether the image that runs here is the one that the record names as good. */
static int runs_good(const struct pg_boot *boot) {
  return boot->chosen >= 0 && boot->copy >= 0 && boot->good == boot->chosen &&
         boot->trial != boot->chosen;
}

static enum pg_image_result begin_install_alone(struct pg_boot *boot, int *slot) {
  if (!runs_good(boot)) return PG_IMAGE_IN_USE;
  *slot = other(boot->chosen);
  if (boot->trial != *slot) return PG_IMAGE_OK;
  boot->trial = NO_SLOT;
  boot->tries = 0;
  return write_record(boot) ? PG_IMAGE_OK : PG_IMAGE_UNREADABLE;
}

enum pg_image_result pg_boot_begin_install(struct pg_boot *boot, int *slot) {
  enum pg_image_result result = begin(boot);
  if (result != PG_IMAGE_OK) return result;
  result = begin_install_alone(boot, slot);
  finish(boot);
  return result;
}

static enum pg_image_result end_install_alone(struct pg_boot *boot, int slot) {
  struct pg_image image;
  if (!runs_good(boot) || slot != other(boot->chosen)) return PG_IMAGE_IN_USE;
  enum pg_image_result result = check_slot(boot, slot, &image);
  return result == PG_IMAGE_OK ? make_trial(boot, slot) : result;
}

enum pg_image_result pg_boot_end_install(struct pg_boot *boot, int slot) {
  enum pg_image_result result = begin(boot);
  if (result != PG_IMAGE_OK) return result;
  result = end_install_alone(boot, slot);
  finish(boot);
  return result;
}

/* The record cannot be written: the trial waits. */
static enum pg_image_result give_way(struct pg_boot *boot) {
  boot->unwritten = 1;
  return PG_IMAGE_NONE;
}

/* The trial's turn. A refused one, or one without tries, is given up. */
static enum pg_image_result try_trial_alone(struct pg_boot *boot) {
  enum pg_image_result result = PG_IMAGE_NONE;
  if (boot->trial >= SLOTS) return result;
  if (boot->tries > 0) {
    boot->tries--;
    /* Recorded first: an image that takes the board down has had its try. */
    if (!write_record(boot)) return give_way(boot);
    result = run(boot, boot->trial);
    /* One that cannot be read at the moment has lost a try, and is not given up for that. */
    if (result == PG_IMAGE_OK || result == PG_IMAGE_UNREADABLE) return result;
  }
  boot->trial = NO_SLOT;
  boot->tries = 0;
  return write_record(boot) ? result : give_way(boot);
}

static enum pg_image_result try_trial(struct pg_boot *boot) {
  enum pg_image_result result = begin(boot);
  if (result != PG_IMAGE_OK) return give_way(boot);
  result = try_trial_alone(boot);
  finish(boot);
  return result;
}

/* The good slot; where it cannot run, whatever is valid in the other one. */
static enum pg_image_result try_good(struct pg_boot *boot) {
  int slot = boot->good < SLOTS ? boot->good : best_slot(boot);
  if (slot == NO_SLOT) slot = 0;
  enum pg_image_result first = run(boot, slot);
  if (first == PG_IMAGE_OK) return first;
  enum pg_image_result second = run(boot, other(slot));
  return second == PG_IMAGE_OK || first == PG_IMAGE_NONE ? second : first;
}

enum pg_image_result pg_boot_choose(struct pg_boot *boot, struct pg_image *image) {
  enum pg_image_result result = PG_IMAGE_NONE;
  boot->unwritten = 0;
  boot->refused = -1;
  read_record(boot);
  if (boot->trial < SLOTS) {
    int trial = boot->trial;
    result = try_trial(boot);
    if (result != PG_IMAGE_OK) {
      boot->refused = trial;
      boot->refusal = result;
    }
  }
  if (result != PG_IMAGE_OK) result = try_good(boot);
  if (result == PG_IMAGE_OK) *image = boot->image;
  return result;
}

/* Whether an image retires keys that still count. */
static int retires(const struct pg_boot *boot) {
  return boot->image.retires && pg_image_key_order(boot->rules, boot->image.key_id) >
                                    pg_image_key_order(boot->rules, boot->floor.oldest_key);
}

/* Whether the chip, if it counts, knows of the image that runs. */
static int is_counted(const struct pg_boot *boot) {
  return !boot->store->counter || chip_counter(boot) >= boot->image.counter;
}

/* Whether there is nothing to write: flash wears out. */
static int is_confirmed(const struct pg_boot *boot) {
  return boot->copy >= 0 && boot->good == boot->running && boot->trial != boot->running &&
         boot->floor.counter >= boot->image.counter && !retires(boot) && is_counted(boot);
}

static enum pg_image_result confirm_alone(struct pg_boot *boot) {
  uint8_t header[PG_IMAGE_HEADER_BYTES] = {0};
  PG_MUST(boot->running >= 0 && boot->running < SLOTS, "only what runs is confirmed");
  enum pg_image_result result =
      boot->store->header(boot->store->context, boot->running, header);
  if (result == PG_IMAGE_UNREADABLE) return result;
  /* Only what ran is confirmed: an installation may have put another image there. */
  if (result != PG_IMAGE_OK ||
      memcmp(header + HEADER_AT_HASH, boot->image.hash, PG_SHA512_BYTES) != 0) {
    return PG_IMAGE_OK;
  }
  boot->good = (uint8_t)boot->running;
  if (boot->image.counter > boot->floor.counter) boot->floor.counter = boot->image.counter;
  if (retires(boot)) memcpy(boot->floor.oldest_key, boot->image.key_id, PG_KEY_ID_BYTES);
  if (boot->trial == boot->running) {
    boot->trial = NO_SLOT;
    boot->tries = 0;
  }
  if (!write_record(boot)) return PG_IMAGE_UNREADABLE;
  /* The record first: a chip that counts ahead of it would refuse the image to go back to. */
  if (is_counted(boot)) return PG_IMAGE_OK;
  const struct pg_boot_store *store = boot->store;
  int is_raised = store->raise && store->raise(store->context, boot->image.counter);
  return is_raised ? PG_IMAGE_OK : PG_IMAGE_UNREADABLE;
}

enum pg_image_result pg_boot_confirm(struct pg_boot *boot) {
  if (boot->running < 0) return PG_IMAGE_OK;
  read_record(boot);
  if (!is_confirmed(boot)) {
    enum pg_image_result result = begin(boot);
    if (result != PG_IMAGE_OK) return result;
    result = confirm_alone(boot);
    finish(boot);
    if (result != PG_IMAGE_OK) return result;
  }
  boot->running = -1;
  return PG_IMAGE_OK;
}
