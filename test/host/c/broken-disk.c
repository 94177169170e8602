/*
 * A library to be loaded ahead of libc: everything that writes to a file of records, or makes one, fails with the
 * error that BROKEN_DISK names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int error_of(void) {
  const char *name = getenv("BROKEN_DISK");
  if (name && strcmp(name, "EROFS") == 0) return EROFS;
  return name && strcmp(name, "EIO") == 0 ? EIO : ENOSPC;
}

int openat(int directory, const char *path, int flags, ...) {
  static int (*real)(int, const char *, int, ...);
  if (!real) real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (error_of() == EROFS && flags & (O_CREAT | O_RDWR | O_WRONLY)) {
    errno = EROFS;
    return -1;
  }
  return real(directory, path, flags, mode);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  (void)file;
  (void)bytes;
  (void)size;
  (void)at;
  errno = error_of();
  return -1;
}
