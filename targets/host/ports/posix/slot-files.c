/* Slots and boot record in a directory. Contract in slot-files.h and boot.h. */
#include "slot-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1100 };

static const char *const slot_names[] = {"slot-a.img", "slot-b.img"};
static const char *const copy_names[] = {"boot-0", "boot-1"};

static const char *directory;
static int lock_file = -1;
/* A slot's bytes stay where they are while the other one is looked at. */
static uint8_t slots[2][PG_SLOT_FILE_MAX + 1];

/* 0: the name is too long. */
static int path_of(char path[PATH_BYTES], const char *name, const char *ending) {
  return snprintf(path, PATH_BYTES, "%s/%s%s", directory, name, ending) < PATH_BYTES;
}

static enum pg_image_result read_all(int file, uint8_t *into, size_t size, size_t *got) {
  struct stat status;
  ssize_t count = 1;
  /* A pipe in a file's place would keep the device waiting for ever. */
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return PG_IMAGE_UNREADABLE;
  while (*got < size && count != 0) {
    count = read(file, into + *got, size - *got);
    if (count < 0 && errno != EINTR) return PG_IMAGE_UNREADABLE;
    if (count > 0) *got += (size_t)count;
  }
  return PG_IMAGE_OK;
}

enum pg_image_result pg_read_beginning(const char *path, uint8_t *into, size_t size, size_t *got) {
  *got = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno == ENOENT ? PG_IMAGE_NONE : PG_IMAGE_UNREADABLE;
  enum pg_image_result result = read_all(file, into, size, got);
  close(file);
  return result;
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
  int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int ok = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  return ok;
}

/* A draft that is there was left by a power cut; whatever else has its name is not written through. */
static int write_draft(const char *draft, const uint8_t *from, size_t size) {
  if (unlink(draft) != 0 && errno != ENOENT) return 0;
  int file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  int ok = write_whole(file, from, size);
  return close(file) == 0 && ok;
}

/* Replaces a file as a whole: the old content or the new, whenever the power goes. */
static int replace(const char *name, const uint8_t *from, size_t size) {
  char path[PATH_BYTES];
  char draft[PATH_BYTES];
  if (!path_of(path, name, "") || !path_of(draft, name, ".draft")) return 0;
  if (write_draft(draft, from, size) && rename(draft, path) == 0) return sync_directory();
  (void)unlink(draft);
  return 0;
}

static enum pg_image_result read_slot(void *context, int slot, const uint8_t **bytes,
                                      size_t *size) {
  char path[PATH_BYTES];
  (void)context;
  *bytes = slots[slot];
  if (!path_of(path, slot_names[slot], "")) return PG_IMAGE_UNREADABLE;
  return pg_read_beginning(path, slots[slot], sizeof slots[slot], size);
}

static enum pg_image_result read_header(void *context, int slot,
                                        uint8_t header[PG_IMAGE_HEADER_BYTES]) {
  char path[PATH_BYTES];
  size_t got = 0;
  (void)context;
  if (!path_of(path, slot_names[slot], "")) return PG_IMAGE_UNREADABLE;
  enum pg_image_result result = pg_read_beginning(path, header, PG_IMAGE_HEADER_BYTES, &got);
  return result == PG_IMAGE_OK && got < PG_IMAGE_HEADER_BYTES ? PG_IMAGE_NONE : result;
}

static int write_slot(void *context, int slot, const uint8_t *bytes, size_t size) {
  (void)context;
  return replace(slot_names[slot], bytes, size);
}

static int read_record(void *context, int copy, uint8_t record[PG_BOOT_RECORD_BYTES]) {
  char path[PATH_BYTES];
  uint8_t bytes[PG_BOOT_RECORD_BYTES + 1];
  size_t got = 0;
  (void)context;
  if (!path_of(path, copy_names[copy], "") ||
      pg_read_beginning(path, bytes, sizeof bytes, &got) != PG_IMAGE_OK ||
      got != PG_BOOT_RECORD_BYTES) {
    return 0;
  }
  memcpy(record, bytes, PG_BOOT_RECORD_BYTES);
  return 1;
}

static int write_record(void *context, int copy, const uint8_t record[PG_BOOT_RECORD_BYTES]) {
  (void)context;
  return replace(copy_names[copy], record, PG_BOOT_RECORD_BYTES);
}

/* The kernel's lock: a program that is killed cannot leave it behind. */
static enum pg_image_result lock(void *context) {
  char path[PATH_BYTES];
  (void)context;
  if (!path_of(path, "lock", "")) return PG_IMAGE_UNREADABLE;
  lock_file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock_file < 0) return PG_IMAGE_UNREADABLE;
  if (flock(lock_file, LOCK_EX | LOCK_NB) == 0) return PG_IMAGE_OK;
  int is_busy = errno == EWOULDBLOCK;
  close(lock_file);
  lock_file = -1;
  return is_busy ? PG_IMAGE_BUSY : PG_IMAGE_UNREADABLE;
}

static void unlock(void *context) {
  (void)context;
  close(lock_file);
  lock_file = -1;
}

const struct pg_boot_store *pg_slot_files(const char *name) {
  static const struct pg_boot_store store = {
      .slot = read_slot,
      .header = read_header,
      .write_slot = write_slot,
      .read_record = read_record,
      .write_record = write_record,
      .lock = lock,
      .unlock = unlock,
  };
  directory = name;
  return &store;
}
