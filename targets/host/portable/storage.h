/*
 * Where the core's records are kept: two slots that cannot harm each other, over a medium of the port's
 * (picogrant-port.h). A record lies behind a header that is programmed last, so that a loss of power at any byte
 * leaves the old record, the new one, or something that is neither and is seen to be.
 *
 * A medium of NULL keeps nothing. Records hold tokens: a board whose flash can be read out encrypts the medium.
 */
#ifndef PICOGRANT_STORAGE_H
#define PICOGRANT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

#include "picogrant-port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a header says takes 8 bytes; the longest record that it can tell. */
enum { PG_SLOT_HEADER = 8, PG_RECORD_MAX = 65535 };

/* Bytes of a slot ahead of the record: PG_SLOT_HEADER, or the medium's unit where that is longer. */
uint32_t pg_storage_header(const struct pg_medium *medium);

/* Bytes of the longest record that a slot holds. */
uint32_t pg_storage_capacity(const struct pg_medium *medium);

/*
 * Reads slot 0 or 1. Returns the record's length, 0 for an empty slot, -1 if it cannot be read or does not fit. A slot
 * that a loss of power left half written is never 0: the core sees by the checksum that it holds no record.
 */
int pg_storage_read(const struct pg_medium *medium, int slot, uint8_t *into, size_t size);

/* Replaces a slot. 1: durable from now on; 0: the slot holds the old record, the new one, or neither. */
int pg_storage_write(const struct pg_medium *medium, int slot, const uint8_t *bytes, size_t size);

/* Empties a slot; 1 or 0 as write. Nothing of the record stays on the medium. */
int pg_storage_erase(const struct pg_medium *medium, int slot);

/* The longer of the two units: what lies at a multiple of it can be read and programmed. */
uint32_t pg_medium_unit(const struct pg_medium *medium);

/* Whether its units are powers of two, none too long, and its slots whole numbers of them. */
int pg_medium_is_usable(const struct pg_medium *medium);

/*
 * Any number of bytes of a slot, from the beginning of a unit on. What is programmed is filled up with 0xff to the
 * end of its last unit, which counts as programmed from then on.
 */
enum pg_medium_result pg_medium_read(const struct pg_medium *medium, int slot, uint32_t at,
                                     uint8_t *into, size_t size);
enum pg_medium_result pg_medium_program(const struct pg_medium *medium, int slot, uint32_t at,
                                        const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
