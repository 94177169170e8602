/*
 * The two slots and the two copies of the boot record, as boot.h wants them: in the board's flash, read in memory.
 * A program runs where it lies, so an image is linked for one slot, and its ABI says for which (FORMAT.md):
 * whenever a slot is looked at, the rules ask for the ABI of that slot.
 */
#ifndef PICOGRANT_BOARD_LOADER_SLOTS_H
#define PICOGRANT_BOARD_LOADER_SLOTS_H

#include "boot.h"

/* Makes `store` one for pg_boot_open, and gives `rules` what a slot asks for. Both stay where they are. */
void loader_slots_open(struct pg_boot_store *store, struct pg_image_rules *rules);

/* A slot's bytes in memory; there are MAP_SLOT_BYTES of them. */
const uint8_t *loader_slot(int slot);

/* Writes the bytes of a slot that begin at `at`, where those before them are written. 1, or 0: it cannot be done. */
int loader_slot_write(int slot, uint32_t at, const uint8_t *bytes, size_t size);

/* The same of the two slots of later settings, MAP_SETTINGS_BYTES each. */
const uint8_t *loader_settings_slot(int slot);
int loader_settings_write(int slot, uint32_t at, const uint8_t *bytes, size_t size);

#endif
