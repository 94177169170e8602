/*
 * Slots and boot record as files of a directory: slot-a.img, slot-b.img, boot-0, boot-1, and `lock`, on which
 * whoever writes has the kernel's lock. A file is replaced as a whole: the old content or the new, whenever
 * the power goes.
 */
#ifndef PICOGRANT_SLOT_FILES_H
#define PICOGRANT_SLOT_FILES_H

#include "boot.h"

/* Bytes of an image that this host takes at the most. */
enum { PG_SLOT_FILE_MAX = 131072 };

/* The store of a directory, whose name stays where it is. There is one at a time. */
const struct pg_boot_store *pg_slot_files(const char *directory);

/*
 * Reads a file from its beginning, `size` bytes at the most. `got`: how many. PG_IMAGE_NONE where there is
 * none, PG_IMAGE_UNREADABLE where it cannot be read or is no regular file.
 */
enum pg_image_result pg_read_beginning(const char *path, uint8_t *into, size_t size, size_t *got);

#endif
