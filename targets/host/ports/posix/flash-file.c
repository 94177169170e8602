/*
 * A file as a NOR flash of two sectors. Contract in storage.h. A write goes in the order of a flash:
 * erase to 0xff, program the data, and only when that is durable the header that makes it a record.
 */
#include "storage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int file = -1;
static uint8_t blank[PG_SECTOR_BYTES];

static off_t sector_at(int slot) { return (off_t)slot * PG_SECTOR_BYTES; }

static int write_all(const uint8_t *bytes, size_t size, off_t at) {
  while (size > 0) {
    ssize_t done = pwrite(file, bytes, size, at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return 0;
    bytes += done;
    size -= (size_t)done;
    at += done;
  }
  return 1;
}

static int read_all(uint8_t *bytes, size_t size, off_t at) {
  while (size > 0) {
    ssize_t done = pread(file, bytes, size, at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return 0;
    bytes += done;
    size -= (size_t)done;
    at += done;
  }
  return 1;
}

static int program(const uint8_t *bytes, size_t size, off_t at) {
  return write_all(bytes, size, at) && fdatasync(file) == 0;
}

static int is_usable(const char **why) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    *why = "is not a regular file";
  } else if (status.st_mode & (S_IRWXG | S_IRWXO)) {
    *why = "can be read by others; chmod 600 it";
  } else if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    *why = "is in use by another host";
  } else if (status.st_size != 2 * PG_SECTOR_BYTES) {
    /* New, or the power went while it was made: no record was ever in the second half. */
    if (status.st_size > 2 * PG_SECTOR_BYTES) *why = "is not a file of this host";
    for (int slot = status.st_size < PG_SECTOR_BYTES ? 0 : 1; slot < 2 && !*why; slot++) {
      if (!pg_storage_erase(slot)) *why = "cannot be written";
    }
  }
  return *why == NULL;
}

/* A new file's name is durable once its directory is. */
static void sync_directory(const char *path) {
  char folder[1024] = ".";
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (length >= sizeof folder) return;
  if (length) {
    memcpy(folder, path, length);
    folder[length] = 0;
  }
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  (void)fsync(directory);
  close(directory);
}

const char *pg_storage_open(const char *path) {
  const char *why = NULL;
  memset(blank, 0xff, sizeof blank);
  file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return "cannot be opened or made";
  if (!is_usable(&why)) {
    pg_storage_close();
    return why;
  }
  sync_directory(path);
  return NULL;
}

void pg_storage_close(void) {
  if (file >= 0) close(file);
  file = -1;
}

int pg_storage_read(int slot, uint8_t *into, size_t size) {
  uint8_t sector[PG_SECTOR_BYTES];
  if (slot < 0 || slot > 1 || !read_all(sector, sizeof sector, sector_at(slot))) return -1;
  if (memcmp(sector, blank, sizeof sector) == 0) return 0;
  size_t length = ((size_t)sector[4] << 8) | sector[5];
  int programmed = memcmp(sector, "PGFS", 4) == 0 && (sector[6] ^ sector[4]) == 0xff &&
                   (sector[7] ^ sector[5]) == 0xff && length > 0 &&
                   length <= PG_SECTOR_BYTES - PG_SECTOR_HEADER;
  int result = -1;
  if (!programmed && size > 0) {
    into[0] = 0xff;
    result = 1;
  } else if (programmed && length <= size) {
    memcpy(into, sector + PG_SECTOR_HEADER, length);
    result = (int)length;
  }
  explicit_bzero(sector, sizeof sector);
  return result;
}

int pg_storage_write(int slot, const uint8_t *bytes, size_t size) {
  if (slot < 0 || slot > 1 || size == 0 || size > PG_SECTOR_BYTES - PG_SECTOR_HEADER) return 0;
  uint8_t header[PG_SECTOR_HEADER] = {'P', 'G', 'F', 'S', (uint8_t)(size >> 8), (uint8_t)size};
  header[6] = (uint8_t)~header[4];
  header[7] = (uint8_t)~header[5];
  return pg_storage_erase(slot) && program(bytes, size, sector_at(slot) + PG_SECTOR_HEADER) &&
         program(header, sizeof header, sector_at(slot));
}

int pg_storage_erase(int slot) {
  return slot >= 0 && slot <= 1 && program(blank, sizeof blank, sector_at(slot));
}
