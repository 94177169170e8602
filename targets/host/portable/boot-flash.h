/*
 * The store of boot.h in flash: two slots and the two copies of the boot record, each behind read, program and
 * erase (medium.h). What was written is read back before it counts.
 */
#ifndef PICOGRANT_BOOT_FLASH_H
#define PICOGRANT_BOOT_FLASH_H

#include "boot.h"
#include "medium.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's; it stays where it is. Nothing of it is changed. */
struct pg_boot_flash {
  const struct pg_medium *slots;   /* slot_bytes: the longest image that fits */
  const struct pg_medium *records; /* PG_BOOT_RECORD_BYTES at least in each, on blocks of their own */
  /* Where the slots can be read in memory; NULL where they cannot. */
  const uint8_t *mapped[2];
  /*
   * Where they cannot: slots->slot_bytes to read each into. Both may be the same memory for a loader that only
   * starts images; a program that runs out of one and installs another image needs two.
   */
  uint8_t *room[2];
};

/* The functions; a store is a copy of them with a struct pg_boot_flash as context. One program: no lock. */
extern const struct pg_boot_store pg_boot_flash_store;

#ifdef __cplusplus
}
#endif

#endif
