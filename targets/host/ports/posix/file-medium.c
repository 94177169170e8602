#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Returns the file position of byte `at` of a slot. Sets `*capacity` to the number of bytes up to the block's end. */
static off_t slot_place(int slot, uint32_t at, size_t *capacity) {
  uint32_t block = at / PG_FILE_BLOCK;
  uint32_t within = at % PG_FILE_BLOCK;
  *capacity = PG_FILE_BLOCK - within;
  return ((off_t)block * 2 + slot) * PG_FILE_BLOCK + within;
}

static int is_among(const int *errors, size_t count, int error) {
  while (count > 0 && errors[count - 1] != error) count--;
  return count > 0;
}

/* Whether to retry a failed operation. Waits before the retry, at most a second altogether. */
static int may_pass(int *waits) {
  static const int passing[] = PG_PASSING_ERRORS;
  const struct timespec part = {.tv_nsec = 50000000};
  if (errno == EINTR) return 1;
  if (*waits >= 20 || !is_among(passing, sizeof passing / sizeof *passing, errno)) return 0;
  ++*waits;
  (void)nanosleep(&part, NULL);
  return 1;
}

static int sync_file(const struct pg_file_medium *own) {
  int waits = 0;
  while (fdatasync(own->file) != 0) {
    if (!may_pass(&waits)) return 0;
  }
  return 1;
}

/* Reads into `into`, or writes from `from`. One of the two is NULL. */
static int transfer(const struct pg_file_medium *own, int slot, uint32_t at, uint8_t *into, const uint8_t *from,
                    size_t size) {
  int waits = 0;
  for (size_t done = 0; done < size;) {
    size_t count = 0;
    off_t place = slot_place(slot, at + (uint32_t)done, &count);
    if (count > size - done) count = size - done;
    ssize_t moved = into ? pread(own->file, into + done, count, place) : pwrite(own->file, from + done, count, place);
    if (moved < 0 && may_pass(&waits)) continue;
    if (moved <= 0) return 0;
    done += (size_t)moved;
  }
  return 1;
}

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  return transfer(context, slot, at, into, NULL, size);
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  return transfer(context, slot, at, NULL, bytes, size) && sync_file(context);
}

static int erase_slot(void *context, int slot) {
  const struct pg_file_medium *own = context;
  for (uint32_t at = 0; at < own->medium.slot_bytes; at += PG_FILE_BLOCK) {
    if (!transfer(own, slot, at, NULL, own->blank, sizeof own->blank)) return 0;
  }
  return sync_file(own);
}

static enum pg_file_state file_failure(int error, const char **why) {
  static const int medium[] = PG_MEDIUM_ERRORS;
  *why = strerror(error);
  return is_among(medium, sizeof medium / sizeof *medium, error) ? PG_FILE_UNUSABLE : PG_FILE_REFUSED;
}

/* Removes the access of other users, which a mount, a copy or a umask may have granted. */
static int close_to_others(int file, mode_t open, struct stat *status) {
  if (status->st_mode & open) (void)fchmod(file, status->st_mode & 07777 & ~open);
  return fstat(file, status) == 0 && !(status->st_mode & open);
}

/* Opens the directory. Refuses one in which other users can rename files, because they could replace the tokens. */
static enum pg_file_state open_directory(const char *path, int *directory, const char **why) {
  struct stat status;
  int waits = 0;
  while (mkdir(path, 0700) != 0 && errno != EEXIST) {
    if (!may_pass(&waits)) return file_failure(errno, why);
  }
  do {
    *directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } while (*directory < 0 && may_pass(&waits));
  if (*directory < 0 || fstat(*directory, &status) != 0) return file_failure(errno, why);
  if (status.st_uid != geteuid()) *why = "its directory belongs to another user; choose one of your own";
  else if (!close_to_others(*directory, S_IWGRP | S_IWOTH, &status)) *why = "its file system keeps no modes; choose another";
  else *why = pg_owners_problem(path, &status);
  return *why ? PG_FILE_REFUSED : PG_FILE_READY;
}

static enum pg_file_state check(const struct pg_file_medium *own, const char **why) {
  struct stat status;
  if (fstat(own->file, &status) != 0) return file_failure(errno, why);
  if (!S_ISREG(status.st_mode)) *why = "is not a regular file";
  else if (status.st_uid != geteuid()) *why = "belongs to another user";
  else if (status.st_mode & S_IWOTH) *why = "every user could change it; delete it and sign in again";
  else if (!close_to_others(own->file, S_IRWXG | S_IRWXO, &status)) *why = "its file system keeps no modes; choose another";
  else if (flock(own->file, LOCK_EX | LOCK_NB) != 0) *why = "is in use by another host";
  else if (status.st_size > INT_MAX) *why = "is not a file of this host";
  return *why ? PG_FILE_REFUSED : PG_FILE_READY;
}

/* Extends the file to the size of both slots. An incomplete last block is left from an extension during which the power
 * failed. It contains no record, because slots are used only after the extension. */
static enum pg_file_state grow(struct pg_file_medium *own, uint32_t slot_bytes, int is_writable, const char **why) {
  struct stat status;
  if (fstat(own->file, &status) != 0) return file_failure(errno, why);
  uint32_t pairs = (slot_bytes + PG_FILE_BLOCK - 1) / PG_FILE_BLOCK;
  off_t size = status.st_size / PG_FILE_BLOCK * PG_FILE_BLOCK;
  if (size / (2 * PG_FILE_BLOCK) > (off_t)pairs) pairs = (uint32_t)(size / (2 * PG_FILE_BLOCK));
  own->medium.slot_bytes = pairs * PG_FILE_BLOCK;
  for (; size < (off_t)pairs * 2 * PG_FILE_BLOCK; size += PG_FILE_BLOCK) {
    uint32_t block = (uint32_t)(size / PG_FILE_BLOCK);
    if (!is_writable) errno = EROFS;
    if (!is_writable || !program_slot(own, block % 2, block / 2 * PG_FILE_BLOCK, own->blank, sizeof own->blank)) {
      own->medium.slot_bytes = (uint32_t)(size / (2 * PG_FILE_BLOCK)) * PG_FILE_BLOCK;
      return file_failure(errno, why);
    }
  }
  return PG_FILE_READY;
}

static int is_standard(int descriptor) { return descriptor >= 0 && descriptor <= STDERR_FILENO; }

static enum pg_file_state open_file(struct pg_file_medium *own, int directory,
                                    uint32_t slot_bytes, const char **why) {
  const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int is_writable = 1;
  int problem = 0;
  int waits = 0;
  do {
    own->file = openat(directory, "records.flash", O_RDWR | O_CREAT | flags, 0600);
  } while (own->file < 0 && may_pass(&waits));
  if (own->file < 0 && errno == EROFS) {
    /* Continue without writing, because stored records can still be read. */
    problem = errno;
    is_writable = 0;
    own->file = openat(directory, "records.flash", O_RDONLY | flags);
  }
  if (own->file < 0) return file_failure(problem ? problem : errno, why);
  if (is_standard(own->file)) {
    *why = "standard input, output or error is closed";
    return PG_FILE_REFUSED;
  }
  enum pg_file_state state = check(own, why);
  if (state == PG_FILE_READY) state = grow(own, slot_bytes, is_writable, why);
  if (state != PG_FILE_READY || is_writable) return state;
  return file_failure(problem, why);
}

enum pg_file_state pg_file_open(struct pg_file_medium *own, const char *path, uint32_t slot_bytes,
                                const struct pg_medium **medium, const char **why) {
  int directory = -1;
  own->medium = (struct pg_medium){
      .read = read_slot, .program = program_slot, .erase = erase_slot, .context = own};
  own->file = -1;
  memset(own->blank, 0xff, sizeof own->blank);
  *why = NULL;
  *medium = NULL;
  enum pg_file_state state = open_directory(path, &directory, why);
  if (state == PG_FILE_READY) state = open_file(own, directory, slot_bytes, why);
  /* The name of a new file is durable only after its directory has been synced. */
  if (state == PG_FILE_READY) (void)fsync(directory);
  if (directory >= 0) close(directory);
  if (state == PG_FILE_REFUSED || own->medium.slot_bytes == 0) pg_file_close(own);
  else *medium = &own->medium;
  return state;
}

void pg_file_close(struct pg_file_medium *own) {
  if (own->file >= 0) close(own->file);
  own->file = -1;
}
