/*
 * Where the core's records are kept: two slots that cannot harm each other, as flash has them. Here a
 * file that behaves like a NOR flash of two sectors (flash-file.c); a firmware puts its own behind it.
 *
 * Records hold tokens. The file is for this user alone (0600); a board whose flash can be read out
 * encrypts the region.
 */
#ifndef PICOGRANT_STORAGE_H
#define PICOGRANT_STORAGE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a slot, its header included; longer records are refused. */
enum { PG_SECTOR_BYTES = 8192, PG_SECTOR_HEADER = 8 };

/*
 * Opens the file, or makes it with both sectors erased. One process may have it.
 * Returns NULL, or what is wrong as part of a sentence.
 */
const char *pg_storage_open(const char *path);

void pg_storage_close(void);

/*
 * Reads slot 0 or 1 into `into`. Returns the record's length, 0 for an empty slot, -1 where it cannot be
 * read or does not fit. A sector that a loss of power left half written is never 0: the core sees by its
 * checksum that it holds no record, and knows that it is not empty.
 */
int pg_storage_read(int slot, uint8_t *into, size_t size);

/* Replaces a slot. 1: durable from now on; 0: the slot holds the old record, the new one, or neither. */
int pg_storage_write(int slot, const uint8_t *bytes, size_t size);

/* Empties a slot; 1 or 0 as write. Nothing of the record stays in the file. */
int pg_storage_erase(int slot);

#endif
