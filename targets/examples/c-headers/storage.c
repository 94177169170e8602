/* Records in two slots (storage.h), over a medium in RAM. */
#include "storage.h"

#include "ram-medium.h"

int main(void) {
  static struct ram ram;
  const struct pg_medium medium = {SLOT_BYTES, read_slot, program_slot, erase_slot, &ram, 1, 1};
  const uint8_t record[3] = {7, 8, 9};
  uint8_t back[SLOT_BYTES];
  if (pg_storage_room(&medium) != SLOT_BYTES - PG_SLOT_HEADER) return 1;
  if (!pg_storage_erase(&medium, 1) || pg_storage_read(&medium, 1, back, sizeof back) != 0) return 2;
  if (!pg_storage_write(&medium, 1, record, sizeof record)) return 3;
  if (pg_storage_read(&medium, 1, back, sizeof back) != 3) return 4;
  /* A device without a medium keeps nothing. */
  return back[2] == 9 && !pg_storage_write(NULL, 1, record, sizeof record) ? 0 : 5;
}
