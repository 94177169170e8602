#include "storage.h"

#include <string.h>

#include "assertion.h"

static uint32_t unit_of(uint16_t unit) { return unit ? unit : 1; }

uint32_t pg_medium_unit(const struct pg_medium *medium) {
  uint32_t read = unit_of(medium->read_unit);
  uint32_t program = unit_of(medium->program_unit);
  return read > program ? read : program;
}

int pg_medium_is_usable(const struct pg_medium *medium) {
  uint32_t unit = pg_medium_unit(medium);
  return unit <= PG_MEDIUM_UNIT_MAX && (unit & (unit - 1)) == 0 && medium->slot_bytes % unit == 0;
}

enum pg_medium_result pg_medium_read(const struct pg_medium *medium, int slot, uint32_t at,
                                     uint8_t *into, size_t size) {
  uint8_t last[PG_MEDIUM_UNIT_MAX];
  PG_MUST(at % unit_of(medium->read_unit) == 0 && at <= medium->slot_bytes &&
              size <= medium->slot_bytes - at,
          "a read is within its slot, and starts at a unit");
  size_t odd = size % unit_of(medium->read_unit);
  size_t whole = size - odd;
  int result = PG_MEDIUM_DONE;
  if (whole > 0) result = medium->read(medium->context, slot, at, into, whole);
  if (result != PG_MEDIUM_DONE || odd == 0) return (enum pg_medium_result)result;
  result = medium->read(medium->context, slot, at + (uint32_t)whole, last,
                        unit_of(medium->read_unit));
  if (result == PG_MEDIUM_DONE) memcpy(into + whole, last, odd);
  pg_wipe(last, sizeof last);
  return (enum pg_medium_result)result;
}

enum pg_medium_result pg_medium_program(const struct pg_medium *medium, int slot, uint32_t at,
                                        const uint8_t *bytes, size_t size) {
  uint8_t last[PG_MEDIUM_UNIT_MAX];
  PG_MUST(at % unit_of(medium->program_unit) == 0 && at <= medium->slot_bytes &&
              size <= medium->slot_bytes - at,
          "programmed bytes are within their slot, and start at a unit");
  size_t odd = size % unit_of(medium->program_unit);
  size_t whole = size - odd;
  int result = PG_MEDIUM_DONE;
  if (whole > 0) result = medium->program(medium->context, slot, at, bytes, whole);
  if (result != PG_MEDIUM_DONE || odd == 0) return (enum pg_medium_result)result;
  memset(last, 0xff, sizeof last);
  memcpy(last, bytes + whole, odd);
  result = medium->program(medium->context, slot, at + (uint32_t)whole, last,
                           unit_of(medium->program_unit));
  pg_wipe(last, sizeof last);
  return (enum pg_medium_result)result;
}

enum { PIECE = PG_MEDIUM_UNIT_MAX };

uint32_t pg_storage_header(const struct pg_medium *medium) {
  uint32_t unit = pg_medium_unit(medium);
  return unit > PG_SLOT_HEADER ? unit : PG_SLOT_HEADER;
}

static int is_usable(const struct pg_medium *medium, int slot) {
  return medium && (slot == 0 || slot == 1) && pg_medium_is_usable(medium) &&
         medium->slot_bytes >= pg_storage_header(medium);
}

uint32_t pg_storage_capacity(const struct pg_medium *medium) {
  uint32_t header = pg_storage_header(medium);
  uint32_t capacity = medium->slot_bytes > header ? medium->slot_bytes - header : 0;
  return capacity < PG_RECORD_MAX ? capacity : PG_RECORD_MAX;
}

/* Makes the header of a record: a signature, the record's length, and the length's complement. keys.c changes the
 * signature of records that are bound to a key. */
static void make_header(uint8_t header[PG_SLOT_HEADER], size_t size) {
  memcpy(header, "PGFS", 4);
  header[4] = (uint8_t)(size >> 8);
  header[5] = (uint8_t)size;
  header[6] = (uint8_t)~header[4];
  header[7] = (uint8_t)~header[5];
}

/* Returns the length of the record after a header, or 0 if the header is invalid. */
static size_t length_in(const struct pg_medium *medium, const uint8_t header[PG_SLOT_HEADER]) {
  uint8_t expected[PG_SLOT_HEADER];
  size_t size = (size_t)header[4] << 8 | header[5];
  make_header(expected, size);
  if (memcmp(header, expected, sizeof expected) != 0) return 0;
  return size <= pg_storage_capacity(medium) ? size : 0;
}

/* Returns 1 if every byte is erased, 0 if not, -1 if the slot is unreadable. */
static int is_blank_slot(const struct pg_medium *medium, int slot) {
  uint8_t piece[PIECE];
  int blank = 1;
  for (uint32_t at = 0; at < medium->slot_bytes && blank == 1; at += PIECE) {
    uint32_t left = medium->slot_bytes - at;
    size_t size = left < PIECE ? left : PIECE;
    int result = medium->read(medium->context, slot, at, piece, size);
    if (result == PG_MEDIUM_CORRUPT) blank = 0;
    else if (result != PG_MEDIUM_DONE) blank = -1;
    for (size_t i = 0; i < size && blank == 1; i++) blank = piece[i] == 0xff;
  }
  pg_wipe(piece, sizeof piece);
  return blank;
}

/* Called for a slot that has data but no valid record. Writes one byte with which no record starts, so that the core
 * does not treat the slot as empty. Returns the number of bytes, or -1 if none fits. */
static int is_none(uint8_t *into, size_t size) {
  if (size == 0) return -1;
  into[0] = 0xff;
  return 1;
}

int pg_storage_read(const struct pg_medium *medium, int slot, uint8_t *into, size_t size) {
  uint8_t header[PG_SLOT_HEADER];
  if (!is_usable(medium, slot)) return -1;
  int result = pg_medium_read(medium, slot, 0, header, sizeof header);
  if (result == PG_MEDIUM_CORRUPT) return is_none(into, size);
  if (result != PG_MEDIUM_DONE) return -1;
  size_t length = length_in(medium, header);
  if (length > 0) {
    if (length > size) return -1;
    result = pg_medium_read(medium, slot, pg_storage_header(medium), into, length);
    if (result == PG_MEDIUM_CORRUPT) return is_none(into, size);
    return result == PG_MEDIUM_DONE ? (int)length : -1;
  }
  int blank = is_blank_slot(medium, slot);
  if (blank == 0) return is_none(into, size);
  return blank == 1 ? 0 : -1;
}

int pg_storage_write(const struct pg_medium *medium, int slot, const uint8_t *bytes, size_t size) {
  uint8_t header[PG_SLOT_HEADER];
  if (!is_usable(medium, slot) || size == 0 || size > pg_storage_capacity(medium)) return 0;
  make_header(header, size);
  return medium->erase(medium->context, slot) == PG_MEDIUM_DONE &&
         pg_medium_program(medium, slot, pg_storage_header(medium), bytes, size) == PG_MEDIUM_DONE &&
         pg_medium_program(medium, slot, 0, header, sizeof header) == PG_MEDIUM_DONE;
}

int pg_storage_erase(const struct pg_medium *medium, int slot) {
  return is_usable(medium, slot) && medium->erase(medium->context, slot) == PG_MEDIUM_DONE;
}
