/*
 * Cuts the power at every byte of a write and of an erase: pwrite is replaced by one that stops when
 * its budget is used up. After each cut the written slot must hold the old record, the new one, or
 * something that is none (never "empty" with bytes left in it), and the other slot must be untouched.
 *
 * Usage: power-cuts DIRECTORY. Output: `cuts N old A new B torn C empty D`; exit code 1 at the first fault.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "posix.h"
#include "storage.h"

enum { OLD = 300, NEW = 411 };

static long budget = -1;
static struct pg_file_medium records = {.file = -1};
static const struct pg_medium *medium;

ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at);

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at) {
  if (budget < 0) return __real_pwrite(file, bytes, size, at);
  if (budget == 0) return -1;
  if (size > (size_t)budget) size = (size_t)budget;
  budget -= (long)size;
  return __real_pwrite(file, bytes, size, at);
}

static uint8_t older[OLD];
static uint8_t newer[NEW];
static uint8_t other[OLD];
static uint8_t found[PG_FILE_BLOCK];
static long counts[4];

static int holds(int slot, const uint8_t *record, int size) {
  return pg_storage_read(medium, slot, found, sizeof found) == size &&
         memcmp(found, record, (size_t)size) == 0;
}

/* One cut after `bytes` bytes of a write (or erase); 1 where the operation came through. -1: a fault. */
static int cut(long bytes, int erases) {
  budget = -1;
  if (!pg_storage_write(medium, 0, older, OLD) || !pg_storage_write(medium, 1, other, OLD)) return -1;
  budget = bytes;
  int done = erases ? pg_storage_erase(medium, 0) : pg_storage_write(medium, 0, newer, NEW);
  budget = -1;
  if (!holds(1, other, OLD)) return -1;
  int length = pg_storage_read(medium, 0, found, sizeof found);
  if (length == OLD && memcmp(found, older, OLD) == 0) counts[0]++;
  else if (length == NEW && memcmp(found, newer, NEW) == 0) counts[1]++;
  else if (length == 0) counts[3]++;
  else counts[2]++;
  if (done) return (erases ? length == 0 : holds(0, newer, NEW)) ? 1 : -1;
  return 0;
}

int main(int count, char **arguments) {
  const char *why = NULL;
  long cuts = 0;
  int result = 0;
  memset(older, 'o', sizeof older);
  memset(newer, 'n', sizeof newer);
  memset(other, 'x', sizeof other);
  if (count != 2 || pg_file_open(&records, arguments[1], 4096, &medium, &why) != PG_FILE_READY) return 1;
  for (int erases = 0; erases < 2; erases++) {
    for (long bytes = 0; (result = cut(bytes, erases)) == 0; bytes++) cuts++;
    if (result < 0) {
      printf("fault after %ld cuts\n", cuts);
      return 1;
    }
  }
  printf("cuts %ld old %ld new %ld torn %ld empty %ld\n", cuts, counts[0], counts[1], counts[2],
         counts[3]);
  pg_file_close(&records);
  return 0;
}
