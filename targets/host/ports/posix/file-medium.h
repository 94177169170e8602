/*
 * A file as the medium of the record slots (medium.h): it behaves like a NOR flash, and is for this user
 * alone. The two slots lie in turn, PG_FILE_BLOCK bytes each time, so that a file grows where a longer
 * memory wants longer records, and what it holds stays where it is.
 */
#ifndef PICOGRANT_FILE_MEDIUM_H
#define PICOGRANT_FILE_MEDIUM_H

#include "medium.h"

enum { PG_FILE_BLOCK = 8192 };

enum pg_file_state {
  PG_FILE_READY,
  PG_FILE_REFUSED,  /* it is not safe to keep tokens there: `why` says what to do */
  PG_FILE_UNUSABLE  /* the disk is full, read-only or broken: the device can go on without */
};

/* One device's: the caller's, from pg_file_open to pg_file_close. The fields are file-medium.c's own. */
struct pg_file_medium {
  struct pg_medium medium;
  int file;                     /* -1: none */
  uint8_t blank[PG_FILE_BLOCK]; /* as erased */
};

/*
 * Makes the directory if it is missing, opens the file records.flash in it, or makes it with both slots
 * erased. One process may have it.
 * @param slot_bytes what a slot must hold at least, its header included
 * @param medium what to give to storage.h; NULL where nothing can be read, either
 * @param why what is wrong, as part of a sentence
 */
enum pg_file_state pg_file_open(struct pg_file_medium *own, const char *directory,
                                uint32_t slot_bytes, const struct pg_medium **medium,
                                const char **why);

/* Closes what pg_file_open has opened, or refused. */
void pg_file_close(struct pg_file_medium *own);

#endif
