/* Records on a medium. Contract in storage.h; a write goes erase, record, header. */
#include "storage.h"

#include <string.h>

#include "wipe.h"

enum { PIECE = 64 };

static const struct pg_medium *medium;

void pg_storage_open(const struct pg_medium *own) { medium = own; }

static int is_usable(int slot) { return medium && (slot == 0 || slot == 1); }

/* The header of a record: its name, its length, and the length's complement. */
static void make_header(uint8_t header[PG_SLOT_HEADER], size_t size) {
  memcpy(header, "PGFS", 4);
  header[4] = (uint8_t)(size >> 8);
  header[5] = (uint8_t)size;
  header[6] = (uint8_t)~header[4];
  header[7] = (uint8_t)~header[5];
}

/* Length of the record behind a header, 0 where there is none. */
static size_t length_in(const uint8_t header[PG_SLOT_HEADER]) {
  uint8_t expected[PG_SLOT_HEADER];
  size_t size = (size_t)header[4] << 8 | header[5];
  make_header(expected, size);
  if (memcmp(header, expected, sizeof expected) != 0) return 0;
  return size <= medium->slot_bytes - PG_SLOT_HEADER ? size : 0;
}

/* 1: every byte is erased; 0: not so; -1: cannot be read. */
static int is_blank(int slot) {
  uint8_t piece[PIECE];
  int blank = 1;
  for (uint32_t at = 0; at < medium->slot_bytes && blank == 1; at += PIECE) {
    uint32_t left = medium->slot_bytes - at;
    size_t size = left < PIECE ? left : PIECE;
    if (!medium->read(slot, at, piece, size)) blank = -1;
    for (size_t i = 0; i < size && blank == 1; i++) blank = piece[i] == 0xff;
  }
  /* It may have been tokens. */
  pg_wipe(piece, sizeof piece);
  return blank;
}

int pg_storage_read(int slot, uint8_t *into, size_t size) {
  uint8_t header[PG_SLOT_HEADER];
  if (!is_usable(slot) || !medium->read(slot, 0, header, sizeof header)) return -1;
  size_t length = length_in(header);
  if (length > 0) {
    int fits = length <= size && medium->read(slot, PG_SLOT_HEADER, into, length);
    return fits ? (int)length : -1;
  }
  int blank = is_blank(slot);
  if (blank != 0 || size == 0) return blank == 1 ? 0 : -1;
  into[0] = 0xff;
  return 1;
}

int pg_storage_write(int slot, const uint8_t *bytes, size_t size) {
  uint8_t header[PG_SLOT_HEADER];
  if (!is_usable(slot) || size == 0 || size > PG_RECORD_MAX ||
      size > medium->slot_bytes - PG_SLOT_HEADER) {
    return 0;
  }
  make_header(header, size);
  return medium->erase(slot) && medium->program(slot, PG_SLOT_HEADER, bytes, size) &&
         medium->program(slot, 0, header, sizeof header);
}

int pg_storage_erase(int slot) { return is_usable(slot) && medium->erase(slot); }
