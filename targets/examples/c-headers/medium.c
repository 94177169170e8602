/* A medium for records (medium.h): here in RAM (ram-medium.h). On a board it is flash or an EEPROM. */
#include "medium.h"

#include "ram-medium.h"

int main(void) {
  static struct ram ram;
  /* The two units at the end: this one reads and programs single bytes. */
  const struct pg_medium medium = {SLOT_BYTES, read_slot, program_slot, erase_slot, &ram, 1, 1};
  const uint8_t bytes[2] = {1, 2};
  uint8_t back[2];
  if (medium.erase(medium.context, 0) != PG_MEDIUM_DONE) return 1;
  if (medium.program(medium.context, 0, 8, bytes, sizeof bytes) != PG_MEDIUM_DONE) return 2;
  if (medium.read(medium.context, 0, 8, back, sizeof back) != PG_MEDIUM_DONE) return 3;
  return memcmp(bytes, back, sizeof back) == 0 ? 0 : 4;
}
