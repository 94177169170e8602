#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void pg_process_close(void) {
  static const char *const weakening[] = {"SSLKEYLOGFILE",   "OPENSSL_CONF",  "OPENSSL_ENGINES",
                                          "OPENSSL_MODULES", "SSL_CERT_FILE", "SSL_CERT_DIR"};
  const struct rlimit none = {0, 0};
  for (size_t i = 0; i < sizeof weakening / sizeof *weakening; i++) (void)unsetenv(weakening[i]);
  (void)setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer's leak check must be able to inspect the process at its end */
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void pg_process_lock(void *bytes, size_t size) { (void)mlock(bytes, size); }

/* Reads a file until its end, or until the buffer is full. Returns the number of bytes, or 0 after an error. */
static size_t read_up_to(int file, char *into, size_t size) {
  size_t count = 0;
  while (count < size) {
    ssize_t got = read(file, into + count, size - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return 0;
    if (got == 0) break;
    count += (size_t)got;
  }
  return count;
}

size_t pg_read_file(const char *path, void *into, size_t size, struct stat *status) {
  /* Without O_NONBLOCK, a pipe at this path would block the device. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char more;
  int is_file = file >= 0 && fstat(file, status) == 0 && S_ISREG(status->st_mode);
  size_t count = is_file ? read_up_to(file, into, size) : 0;
  if (count == size && read_up_to(file, &more, 1) > 0) count = 0;
  if (file >= 0) close(file);
  return count;
}

static int is_own_file(const struct stat *status) {
  return status->st_uid == geteuid() || status->st_uid == 0;
}

/* Whether other users could replace files in the directory. */
static int is_open(const char *directory) {
  struct stat status;
  if (stat(directory, &status) != 0 || !is_own_file(&status)) return 1;
  return (status.st_mode & (S_IWGRP | S_IWOTH)) && !(status.st_mode & S_ISVTX);
}

const char *pg_owners_problem(const char *path, const struct stat *status) {
  char whole[PATH_MAX];
  if (!is_own_file(status)) return "belongs to another user; run chown on it";
  if (status->st_mode & S_IWOTH) return "every user can change it; run chmod 640 on it";
  if (status->st_mode & S_IWGRP) return "its group can change it; run chmod 640 on it";
  if (!realpath(path, whole)) return "its directory cannot be looked at";
  for (char *slash = strrchr(whole, '/'); slash; slash = strrchr(whole, '/')) {
    *slash = 0;
    if (is_open(*whole ? whole : "/")) return "others can change a directory that it lies in; chmod 755 that";
  }
  return NULL;
}
