/* Slots and boot record in a directory. Contract in boot.h; the bytes are FORMAT.md's. */
#include "boot.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 32, NO_SLOT = 255, TRIES = 3, PATH_BYTES = 1100, SLOTS = 2, KEY_FILE_MAX = 160 };

static const char *const slot_names[SLOTS] = {"slot-a.img", "slot-b.img"};

static struct {
  const char *directory;
  uint8_t key[PG_PUBLIC_KEY_BYTES];
  uint32_t counter_min;
  /* The record. */
  int known;
  uint8_t good;
  uint8_t trial;
  uint8_t tries;
  uint32_t counter;
  uint64_t sequence;
  /* What runs. */
  int slot;
  struct pg_image image;
} boot;

static uint8_t bytes[PG_IMAGE_MAX + 1];

static void path_of(char path[PATH_BYTES], const char *name) {
  snprintf(path, PATH_BYTES, "%s/%s", boot.directory, name);
}

/* Bytes read, `size` at the most; -1 where the file cannot be read. */
static ssize_t read_file(const char *path, uint8_t *into, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  size_t total = 0;
  ssize_t got = 1;
  if (file < 0) return -1;
  while (total < size && got > 0) {
    got = read(file, into + total, size - total);
    if (got < 0 && errno == EINTR) got = 1;
    else if (got > 0) total += (size_t)got;
  }
  close(file);
  return got < 0 ? -1 : (ssize_t)total;
}

static int write_whole(int file, const uint8_t *from, size_t size) {
  while (size > 0) {
    ssize_t done = write(file, from, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return 0;
    from += done;
    size -= (size_t)done;
  }
  return fsync(file) == 0;
}

static int sync_directory(void) {
  int directory = open(boot.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int ok = directory >= 0 && fsync(directory) == 0;
  if (directory >= 0) close(directory);
  return ok;
}

/* Replaces a file as a whole: the old content or the new, whenever the power goes. */
static int replace(const char *name, const uint8_t *from, size_t size) {
  char path[PATH_BYTES];
  char draft[PATH_BYTES];
  path_of(path, name);
  path_of(draft, "draft");
  int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  int ok = write_whole(file, from, size);
  ok = close(file) == 0 && ok;
  return ok && rename(draft, path) == 0 && sync_directory();
}

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

static int write_record(void) {
  uint8_t record[RECORD] = {'P', 'G', 'B', 'R', 0, 1, boot.good, boot.trial, boot.tries};
  uint8_t hash[crypto_hash_sha512_BYTES];
  put(record + 12, boot.counter, 4);
  put(record + 16, ++boot.sequence, 8);
  crypto_hash_sha512(hash, record, 24);
  memcpy(record + 24, hash, 8);
  boot.known = 1;
  return replace("boot", record, sizeof record);
}

static int is_slot(uint8_t slot) { return slot < SLOTS || slot == NO_SLOT; }

static void read_record(void) {
  char path[PATH_BYTES];
  uint8_t record[RECORD + 1];
  uint8_t hash[crypto_hash_sha512_BYTES];
  path_of(path, "boot");
  boot.known = 0;
  boot.good = boot.trial = NO_SLOT;
  boot.tries = 0;
  boot.counter = 0;
  boot.sequence = 0;
  if (read_file(path, record, sizeof record) != RECORD) return;
  crypto_hash_sha512(hash, record, 24);
  if (memcmp(record, "PGBR\0\1", 6) != 0 || memcmp(hash, record + 24, 8) != 0 ||
      !is_slot(record[6]) || !is_slot(record[7]) || record[8] > TRIES) {
    return;
  }
  boot.known = 1;
  boot.good = record[6];
  boot.trial = record[7];
  boot.tries = record[8];
  boot.counter = (uint32_t)get(record + 12, 4);
  boot.sequence = get(record + 16, 8);
}

static uint32_t least_counter(void) {
  return boot.counter > boot.counter_min ? boot.counter : boot.counter_min;
}

static enum pg_image_result check_file(const char *path, size_t *size) {
  ssize_t got = read_file(path, bytes, sizeof bytes);
  if (got < 0) return errno == ENOENT ? PG_IMAGE_NONE : PG_IMAGE_UNREADABLE;
  *size = (size_t)got;
  return pg_image_check(bytes, *size, boot.key, PG_BOOT_ABI, least_counter(), &boot.image);
}

static enum pg_image_result check_slot(int slot) {
  char path[PATH_BYTES];
  size_t size;
  path_of(path, slot_names[slot]);
  enum pg_image_result result = check_file(path, &size);
  if (result == PG_IMAGE_OK) boot.slot = slot;
  return result;
}

static enum pg_image_result read_key(const char *path) {
  uint8_t text[KEY_FILE_MAX + 1];
  size_t size = 0;
  ssize_t got = read_file(path, text, sizeof text);
  if (got < 0) return PG_IMAGE_UNREADABLE;
  /* NUL: sodium_hex2bin would skip it. */
  if (got > KEY_FILE_MAX || (got != PG_PUBLIC_KEY_BYTES && memchr(text, 0, (size_t)got))) {
    return PG_IMAGE_BAD_KEY;
  }
  if (got == PG_PUBLIC_KEY_BYTES) {
    memcpy(boot.key, text, PG_PUBLIC_KEY_BYTES);
    return PG_IMAGE_OK;
  }
  const char *end = NULL;
  if (sodium_hex2bin(boot.key, sizeof boot.key, (const char *)text, (size_t)got, " \r\n", &size,
                     &end) != 0 ||
      size != PG_PUBLIC_KEY_BYTES || end != (const char *)text + got) {
    return PG_IMAGE_BAD_KEY;
  }
  return PG_IMAGE_OK;
}

enum pg_image_result pg_boot_open(const char *directory, const char *key_file,
                                  uint32_t counter_min) {
  if (sodium_init() < 0) return PG_IMAGE_UNREADABLE;
  boot.directory = directory;
  boot.counter_min = counter_min;
  boot.slot = NO_SLOT;
  read_record();
  return read_key(key_file);
}

/* Without a record: the valid slot with the higher counter, A where they are equal. */
static int best_slot(enum pg_image_result results[SLOTS]) {
  uint32_t counters[SLOTS] = {0};
  for (int slot = 0; slot < SLOTS; slot++) {
    results[slot] = check_slot(slot);
    if (results[slot] == PG_IMAGE_OK) counters[slot] = boot.image.counter;
  }
  if (results[0] != PG_IMAGE_OK) return 1;
  return results[1] == PG_IMAGE_OK && counters[1] > counters[0];
}

enum pg_image_result pg_boot_install(const char *path) {
  size_t size = 0;
  enum pg_image_result results[SLOTS];
  /* A board without a good slot yet runs the better one: that must not be overwritten. */
  int kept = boot.good;
  if (kept == NO_SLOT) {
    kept = best_slot(results);
    if (results[kept] != PG_IMAGE_OK) kept = NO_SLOT;
  }
  enum pg_image_result result = check_file(path, &size);
  if (result != PG_IMAGE_OK) return result;
  uint8_t slot = kept == 0 ? 1 : 0;
  boot.good = (uint8_t)kept;
  /* A trial of before must not name a slot that is being written. */
  if (boot.trial == slot) {
    boot.trial = NO_SLOT;
    boot.tries = 0;
    if (!write_record()) return PG_IMAGE_UNREADABLE;
  }
  if (!replace(slot_names[slot], bytes, size)) return PG_IMAGE_UNREADABLE;
  boot.trial = slot;
  boot.tries = TRIES;
  return write_record() ? PG_IMAGE_OK : PG_IMAGE_UNREADABLE;
}

/* The trial's turn, if it has one. A refused trial is given up. */
static enum pg_image_result try_trial(void) {
  enum pg_image_result result = PG_IMAGE_NONE;
  if (boot.trial >= SLOTS) return result;
  if (boot.tries > 0) {
    boot.tries--;
    /* Recorded first: an image that takes the board down has had its try. */
    if (!write_record()) return PG_IMAGE_UNREADABLE;
    result = check_slot(boot.trial);
    if (result == PG_IMAGE_OK) return result;
  }
  boot.trial = NO_SLOT;
  boot.tries = 0;
  return write_record() ? PG_IMAGE_NONE : PG_IMAGE_UNREADABLE;
}

/* The good slot; where it cannot run, whatever is valid in the other one. */
static enum pg_image_result try_good(void) {
  enum pg_image_result results[SLOTS];
  int slot = boot.good < SLOTS ? boot.good : best_slot(results);
  if (boot.good >= SLOTS && results[slot] != PG_IMAGE_OK) slot = 0;
  enum pg_image_result first = check_slot(slot);
  if (first == PG_IMAGE_OK) return first;
  enum pg_image_result second = check_slot(1 - slot);
  return second == PG_IMAGE_OK || first == PG_IMAGE_NONE ? second : first;
}

enum pg_image_result pg_boot_choose(struct pg_boot_image *image) {
  enum pg_image_result result = try_trial();
  if (result == PG_IMAGE_NONE) result = try_good();
  if (result != PG_IMAGE_OK) return result;
  image->code = boot.image.code;
  image->code_size = boot.image.code_size;
  image->config = boot.image.config;
  image->config_size = boot.image.config_size;
  return PG_IMAGE_OK;
}

int pg_boot_first_tick(void) {
  if (boot.slot >= SLOTS) return 1;
  int is_new = !boot.known || boot.good != boot.slot || boot.trial != NO_SLOT ||
               boot.image.counter > boot.counter;
  boot.good = (uint8_t)boot.slot;
  boot.trial = NO_SLOT;
  boot.tries = 0;
  if (boot.image.counter > boot.counter) boot.counter = boot.image.counter;
  return !is_new || write_record();
}
