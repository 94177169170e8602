/*
 * Stores the core's records: two independent slots on a medium of the port (picogrant-port.h). The header of a record
 * is programmed last, so a loss of power at any byte leaves the old record, the new one, or something that is detected
 * as neither.
 *
 * A medium of NULL stores nothing. Records contain tokens: a board whose flash can be read out must encrypt the medium.
 */
#ifndef PICOGRANT_STORAGE_H
#define PICOGRANT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

#include "picogrant-port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size of a header's content, and the longest record that it can describe. */
enum { PG_SLOT_HEADER = 8, PG_RECORD_MAX = 65535 };

/* Bytes of a slot before the record: PG_SLOT_HEADER, or the medium's unit if that is longer. */
uint32_t pg_storage_header(const struct pg_medium *medium);

/* Bytes of the longest record that a slot holds. */
uint32_t pg_storage_capacity(const struct pg_medium *medium);

/*
 * Reads slot 0 or 1. Returns the record's length, 0 for an empty slot, -1 if it cannot be read or does not fit. An
 * incomplete slot is never 0: the core detects by the checksum that it holds no record.
 */
int pg_storage_read(const struct pg_medium *medium, int slot, uint8_t *into, size_t size);

/* Replaces a slot. 1: durable from now on; 0: the slot holds the old record, the new one, or neither. */
int pg_storage_write(const struct pg_medium *medium, int slot, const uint8_t *bytes, size_t size);

/* Empties a slot; 1 or 0 as write. Nothing of the record stays on the medium. */
int pg_storage_erase(const struct pg_medium *medium, int slot);

/* The longer of the two units: multiples of it can be read and programmed. */
uint32_t pg_medium_unit(const struct pg_medium *medium);

/* Whether its units are powers of two, none too long, and its slots whole numbers of them. */
int pg_medium_is_usable(const struct pg_medium *medium);

/*
 * Reads or programs any number of bytes of a slot, from the start of a unit. Programming fills the last unit with 0xff,
 * and that unit then counts as programmed.
 */
enum pg_medium_result pg_medium_read(const struct pg_medium *medium, int slot, uint32_t at,
                                     uint8_t *into, size_t size);
enum pg_medium_result pg_medium_program(const struct pg_medium *medium, int slot, uint32_t at,
                                        const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
