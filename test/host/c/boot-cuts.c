/*
 * Installs an image or starts from the slots, and loses the power at a step of storage: what was written
 * and not synced is cut in half, and the process ends with 99. Usage: boot-cuts DIRECTORY KEY-FILE STEP
 * start | IMAGE. Output: the payload of the image that reached its first tick, or the result's name.
 * Steps are counted from 0; -1 is never. Names are as lasting as they look: directories are not modelled.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot.h"

ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __real_rename(const char *from, const char *to);
int __real_open(const char *path, int flags, ...);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_fsync(int file);
int __wrap_rename(const char *from, const char *to);
int __wrap_open(const char *path, int flags, ...);

static long steps_left = -1;
/* A second descriptor of the file that was written last and not synced since; -1: none. */
static int unsynced = -1;

static void step(void) {
  struct stat status;
  if (steps_left != 0) {
    if (steps_left > 0) steps_left--;
    return;
  }
  if (unsynced >= 0 && (fstat(unsynced, &status) != 0 || ftruncate(unsynced, status.st_size / 2) != 0)) {
    _exit(3);
  }
  _exit(99);
}

ssize_t __wrap_write(int file, const void *bytes, size_t size) {
  step();
  if (unsynced < 0) unsynced = dup(file);
  /* In two goes, so that a cut can come between. */
  return __real_write(file, bytes, size > 1 ? size / 2 : size);
}

int __wrap_fsync(int file) {
  step();
  if (unsynced >= 0) close(unsynced);
  unsynced = -1;
  return __real_fsync(file);
}

int __wrap_rename(const char *from, const char *to) {
  step();
  return __real_rename(from, to);
}

int __wrap_open(const char *path, int flags, ...) {
  va_list rest;
  mode_t mode = 0;
  if (flags & O_CREAT) {
    step();
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return __real_open(path, flags, mode);
}

int main(int count, char **arguments) {
  struct pg_boot_image image = {0};
  if (count != 5) return 2;
  enum pg_image_result result = pg_boot_open(arguments[1], arguments[2], 0);
  if (result != PG_IMAGE_OK) return 2;
  steps_left = strtol(arguments[3], NULL, 10);
  if (strcmp(arguments[4], "start") != 0) {
    result = pg_boot_install(arguments[4]);
  } else {
    result = pg_boot_choose(&image);
    if (result == PG_IMAGE_OK && !pg_boot_first_tick()) return 2;
  }
  steps_left = -1;
  if (result == PG_IMAGE_OK && image.code) printf("%.*s\n", (int)image.code_size, (const char *)image.code);
  else puts(pg_image_result_name(result));
  return 0;
}
