/* Bytes on a medium that has units. Contract in units.h. */
#include "units.h"

#include <string.h>

#include "assertion.h"
#include "wipe.h"

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
          "what is read lies in its slot, from a unit on");
  size_t odd = size % unit_of(medium->read_unit);
  size_t whole = size - odd;
  int result = PG_MEDIUM_DONE;
  if (whole > 0) result = medium->read(medium->context, slot, at, into, whole);
  if (result != PG_MEDIUM_DONE || odd == 0) return (enum pg_medium_result)result;
  result = medium->read(medium->context, slot, at + (uint32_t)whole, last,
                        unit_of(medium->read_unit));
  if (result == PG_MEDIUM_DONE) memcpy(into + whole, last, odd);
  /* It may be tokens. */
  pg_wipe(last, sizeof last);
  return (enum pg_medium_result)result;
}

enum pg_medium_result pg_medium_program(const struct pg_medium *medium, int slot, uint32_t at,
                                        const uint8_t *bytes, size_t size) {
  uint8_t last[PG_MEDIUM_UNIT_MAX];
  PG_MUST(at % unit_of(medium->program_unit) == 0 && at <= medium->slot_bytes &&
              size <= medium->slot_bytes - at,
          "what is programmed lies in its slot, from a unit on");
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
