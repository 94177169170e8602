/*
 * Stores the core's records in two independent slots on a medium of the port (picogrant-port.h). The header of a record
 * is programmed last. So after a power loss at any byte, a slot has the old record, the new one, nothing, or data that
 * is recognized as invalid.
 *
 * If the medium is NULL, nothing is stored. Records contain tokens. If attackers can read out the flash of a board, the
 * medium must encrypt the records.
 */
#ifndef PICOGRANT_STORAGE_H
#define PICOGRANT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

#include "picogrant-port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size of the header's content, and the length of the longest record that the header can describe. */
enum { PG_SLOT_HEADER = 8, PG_RECORD_MAX = 65535 };

/* Returns the bytes of a slot before the record: PG_SLOT_HEADER, or the medium's unit if that is longer. */
uint32_t pg_storage_header(const struct pg_medium *medium);

/* Returns the length of the longest record that fits into a slot. */
uint32_t pg_storage_capacity(const struct pg_medium *medium);

/* Reads slot 0 or 1. Returns the record's length, 0 for an empty slot, -1 if the slot cannot be read or the record does
 * not fit into `into`. If the slot has data but no valid record, the result is 1: a single byte, which the core refuses
 * as a record, so that it does not take the slot for an empty one. */
int pg_storage_read(const struct pg_medium *medium, int slot, uint8_t *into, size_t size);

/* Replaces a slot. Returns 1 if the record is durable, or 0: the slot then has the old record, the new one, or neither. */
int pg_storage_write(const struct pg_medium *medium, int slot, const uint8_t *bytes, size_t size);

/* Empties a slot. Returns 1 if nothing of the record is left on the medium, otherwise 0. */
int pg_storage_erase(const struct pg_medium *medium, int slot);

/* Returns the longer of the medium's two units. Any multiple of it can be read and programmed. */
uint32_t pg_medium_unit(const struct pg_medium *medium);

/* Whether the longer unit is a power of two of at most PG_MEDIUM_UNIT_MAX, and the slot size is a multiple of it. */
int pg_medium_is_usable(const struct pg_medium *medium);

/* Reads or programs any number of bytes of a slot, starting at a unit. Programming fills up the last unit with 0xff;
 * the added bytes then count as programmed. */
enum pg_medium_result pg_medium_read(const struct pg_medium *medium, int slot, uint32_t at,
                                     uint8_t *into, size_t size);
enum pg_medium_result pg_medium_program(const struct pg_medium *medium, int slot, uint32_t at,
                                        const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
