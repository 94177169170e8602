/*
 * Where the core's records are kept: two slots that cannot harm each other, over a medium of the port's
 * (medium.h). A record lies behind a header that is programmed last, so that a loss of power at any byte
 * leaves the old record, the new one, or something that is neither and is seen to be.
 *
 * Records hold tokens. A board whose flash can be read out encrypts the medium.
 */
#ifndef PICOGRANT_STORAGE_H
#define PICOGRANT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

#include "medium.h"

/* Bytes of a slot ahead of the record, and of the longest record that a header can tell. */
enum { PG_SLOT_HEADER = 8, PG_RECORD_MAX = 65535 };

/* Takes the medium, which stays the caller's. NULL: nothing can be kept; every call below fails. */
void pg_storage_open(const struct pg_medium *medium);

/*
 * Reads slot 0 or 1 into `into`. Returns the record's length, 0 for an empty slot, -1 where it cannot be
 * read or does not fit. A slot that a loss of power left half written is never 0: the core sees by its
 * checksum that it holds no record, and knows that it is not empty.
 */
int pg_storage_read(int slot, uint8_t *into, size_t size);

/* Replaces a slot. 1: durable from now on; 0: the slot holds the old record, the new one, or neither. */
int pg_storage_write(int slot, const uint8_t *bytes, size_t size);

/* Empties a slot; 1 or 0 as write. Nothing of the record stays on the medium. */
int pg_storage_erase(int slot);

#endif
