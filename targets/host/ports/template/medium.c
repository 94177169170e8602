/* The storage for the records, which is a file here, with one slot after the other. Replace this file with flash or an
 * EEPROM (picogrant-port.h). The main rules: there are two independent slots (on flash, separate sectors); erasing sets
 * every byte to 0xff; programming writes to erased bytes, each byte only once, and returns when they are durable.
 * Records contain tokens. If attackers can read out the medium, encrypt it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "port.h"
#include "storage.h"

enum { SLOT_BYTES = 4096 + PG_SLOT_HEADER };

/* Opens the file at its first use. If that fails, the descriptor is -1, and every call fails. The device then tries to
 * read the records for about 13 seconds before it starts, and shows "Not saved" once the user has signed in. */
static int medium_file(void) {
  static int file = -1;
  static int is_printed;
  const char *path = getenv("RECORDS");
  if (!path) path = "records";
  if (file < 0) file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 && !is_printed) perror(path);
  is_printed = 1;
  return file;
}

static off_t place_of(int slot, uint32_t at) { return (off_t)slot * SLOT_BYTES + at; }

static int write_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  ssize_t done = pwrite(medium_file(), bytes, size, place_of(slot, at));
  return done == (ssize_t)size && fdatasync(medium_file()) == 0;
}

/* Reads bytes. Those after the end of the file read like erased flash. */
static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  memset(into, 0xff, size);
  return pread(medium_file(), into, size, place_of(slot, at)) >= 0;
}

static int erase_slot(void *context, int slot) {
  static uint8_t erased[SLOT_BYTES];
  memset(erased, 0xff, sizeof erased);
  return write_slot(context, slot, 0, erased, sizeof erased);
}

/* read_unit and program_unit are the numbers of bytes that the memory chip reads and programs at once; default 1. */
const struct pg_medium port_medium = {
    .slot_bytes = SLOT_BYTES, .read = read_slot, .program = write_slot, .erase = erase_slot};
