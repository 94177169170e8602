/* Any number of bytes on a flash that is programmed eight at a time (units.h). */
#include "units.h"

#include "ram-medium.h"

int main(void) {
  static struct ram ram;
  const struct pg_medium medium = {SLOT_BYTES, read_slot, program_slot, erase_slot, &ram, 1, 8};
  const uint8_t bytes[3] = {1, 2, 3};
  uint8_t back[3];
  if (!pg_medium_is_usable(&medium) || pg_medium_unit(&medium) != 8) return 1;
  if (pg_medium_program(&medium, 0, 8, bytes, sizeof bytes) != PG_MEDIUM_DONE) return 2;
  if (pg_medium_read(&medium, 0, 8, back, sizeof back) != PG_MEDIUM_DONE) return 3;
  /* The unit is filled up. */
  return memcmp(bytes, back, sizeof back) == 0 && ram.slots[0][11] == 0xff ? 0 : 4;
}
