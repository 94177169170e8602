/* Makes each system call on the file of records fail: that call alone, that call and all later ones, or the same after
 * half of a write. During the fault, a device writes its first record, replaces the older one, or signs out. Then it
 * starts without a fault. Usage: record-faults DIRECTORY (empty). Output for each operation: `replace calls N failed F
 * refused R old A new B`; exit code 1 at the first fault. N: runs with a fault, F: failed calls, R: runs whose
 * operation reported a failure, A and B: starts that found the old and the new state. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "posix.h"
#include "storage.h"

enum { OLDER = 200, OLD = 300, NEW = 411, SLOT = 4096 };

static int is_writing_first;

enum mode { ONCE, ON, HALF, MODES };

static long fault_at = -1; /* the number of the first call that fails; -1: none */
static enum mode mode;
static int fault_errno;
static long calls;
static long failed;

__typeof__(open) __real_open, __wrap_open;
__typeof__(openat) __real_openat, __wrap_openat;
__typeof__(mkdir) __real_mkdir, __wrap_mkdir;
__typeof__(fstat) __real_fstat, __wrap_fstat;
__typeof__(flock) __real_flock, __wrap_flock;
__typeof__(fdatasync) __real_fdatasync, __wrap_fdatasync;
__typeof__(fsync) __real_fsync, __wrap_fsync;
__typeof__(pread) __real_pread, __wrap_pread;
__typeof__(pwrite) __real_pwrite, __wrap_pwrite;

static int fails(void) {
  if (fault_at < 0) return 0;
  long call = calls++;
  if (mode == ONCE ? call != fault_at : call < fault_at) return 0;
  failed++;
  errno = fault_errno;
  return 1;
}

int __wrap_open(const char *path, int flags, ...) { return fails() ? -1 : __real_open(path, flags); }

int __wrap_openat(int directory, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int bits = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  return fails() ? -1 : __real_openat(directory, path, flags, bits);
}

int __wrap_mkdir(const char *path, mode_t bits) { return fails() ? -1 : __real_mkdir(path, bits); }

/* Whether the call fails now. The host does not retry these calls after EBUSY, so they do not fail with EBUSY here. */
static int fails_for_good(void) { return fault_errno != EBUSY && fails(); }

int __wrap_fstat(int file, struct stat *status) { return fails_for_good() ? -1 : __real_fstat(file, status); }

int __wrap_flock(int file, int operation) { return fails_for_good() ? -1 : __real_flock(file, operation); }

int __wrap_fdatasync(int file) { return fails() ? -1 : __real_fdatasync(file); }

int __wrap_fsync(int file) { return fails_for_good() ? -1 : __real_fsync(file); }

ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t at) {
  return fails() ? -1 : __real_pread(file, bytes, size, at);
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at) {
  long before = failed;
  if (!fails()) return __real_pwrite(file, bytes, size, at);
  if (mode == HALF && before == 0 && size > 1) return __real_pwrite(file, bytes, size / 2, at);
  return -1;
}

static uint8_t older[OLDER];
static uint8_t old[OLD];
static uint8_t fresh[NEW];
static uint8_t found[SLOT];
static struct pg_file_medium records = {.file = -1};
static const struct pg_medium *medium;

static int is_blank(int slot) { return pg_storage_read(medium, slot, found, sizeof found) == 0; }

static int holds(int slot, const uint8_t *record, int size) {
  return pg_storage_read(medium, slot, found, sizeof found) == size &&
         memcmp(found, record, (size_t)size) == 0;
}

/* Whether the slot has no valid record. */
static int holds_none(int slot) {
  int size = pg_storage_read(medium, slot, found, sizeof found);
  return size == 0 || size == 1;
}

static enum pg_file_state start(void) {
  const char *why = NULL;
  return pg_file_open(&records, "state", SLOT, &medium, &why);
}

static void stop(void) {
  medium = NULL;
  pg_file_close(&records);
}

/* Writes an older record to slot 0 and the current one to slot 1. */
static int prepare(void) {
  (void)unlink("state/records.flash");
  (void)rmdir("state");
  if (is_writing_first) return 1;
  int ok = start() == PG_FILE_READY && pg_storage_write(medium, 0, older, OLDER) &&
           pg_storage_write(medium, 1, old, OLD);
  stop();
  return ok;
}

static int replace(void) { return pg_storage_write(medium, 0, fresh, NEW); }

static int sign_out(void) {
  int first = pg_storage_erase(medium, 0);
  int second = pg_storage_erase(medium, 1);
  return first && second;
}

/* Checks the state after a replacement. Returns 0 for the old state, 1 for the new one, -1 for a fault. */
static int after_replace(int done) {
  if (!is_writing_first && !holds(1, old, OLD)) return -1;
  if (is_writing_first && !is_blank(1)) return -1;
  if (holds(0, fresh, NEW)) return 1;
  if (done) return -1;
  return holds(0, older, OLDER) || holds_none(0) ? 0 : -1;
}

static int after_sign_out(int done) {
  if (is_blank(0) && is_blank(1)) return 1;
  if (done) return -1;
  return holds(1, old, OLD) || holds_none(1) ? 0 : -1;
}

struct operation {
  const char *name;
  int is_first;
  int (*act)(void);
  int (*after)(int done);
};

static const struct operation operations[] = {
    {"first", 1, replace, after_replace},
    {"replace", 0, replace, after_replace},
    {"sign-out", 0, sign_out, after_sign_out},
};

static struct {
  long calls;
  long failed;
  long refused;
  long outcomes[2];
} counts;

/* Makes call number `at` fail. Returns 1 if there were fewer calls, -1 if the resulting state is wrong. */
static int break_at(const struct operation *operation, long at) {
  is_writing_first = operation->is_first;
  if (!prepare()) return -1;
  fault_at = at;
  calls = failed = 0;
  int done = start() != PG_FILE_REFUSED && operation->act();
  stop();
  fault_at = -1;
  if (failed == 0) return done ? 1 : -1;
  counts.calls++;
  counts.failed += failed;
  counts.refused += !done;
  /* The host must retry a temporary error until it succeeds. */
  if (fault_errno == EBUSY && !done) return -1;
  if (start() != PG_FILE_READY) return -1;
  int outcome = operation->after(done);
  if (outcome >= 0) counts.outcomes[outcome]++;
  /* The next write must succeed, whatever state the fault has left. */
  int goes_on = pg_storage_write(medium, 0, fresh, NEW) && holds(0, fresh, NEW);
  stop();
  return outcome >= 0 && goes_on ? 0 : -1;
}

static int sweep(const struct operation *operation) {
  static const int errors[] = {ENOSPC, EROFS, EIO, EBUSY};
  memset(&counts, 0, sizeof counts);
  for (int error = 0; error < 4; error++) {
    for (mode = ONCE; mode < (errors[error] == EBUSY ? ON : MODES); mode++) {
      int result = 0;
      fault_errno = errors[error];
      for (long at = 0; (result = break_at(operation, at)) == 0; at++) continue;
      if (result > 0) continue;
      printf("%s: wrong after call %ld, mode %d, %s\n", operation->name, calls, (int)mode,
             strerror(fault_errno));
      return 0;
    }
  }
  printf("%s calls %ld failed %ld refused %ld old %ld new %ld\n", operation->name, counts.calls,
         counts.failed, counts.refused, counts.outcomes[0], counts.outcomes[1]);
  return 1;
}

int main(int count, char **arguments) {
  memset(older, '1', sizeof older);
  memset(old, 'o', sizeof old);
  memset(fresh, 'n', sizeof fresh);
  if (count != 2 || chdir(arguments[1]) != 0) return 2;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    if (!sweep(&operations[i])) return 1;
  }
  return 0;
}
