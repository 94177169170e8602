/*
 * What the process gives away by itself: core dumps, swapped pages, what its environment says about TLS; and who can
 * change the files that it goes by.
 */
#ifndef PICOGRANT_PROCESS_H
#define PICOGRANT_PROCESS_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * To be called first. No core dump is written, no other process of the user may look into this one, and variables
 * that would have TLS write its secrets into a file, or trust and take what it should not, are gone. A proxy of the
 * environment stays: it gets a tunnel, and no more of what is said than anybody on the way.
 */
void pg_process_close(void);

/* Keeps memory out of the swap, where the system allows it (RLIMIT_MEMLOCK). */
void pg_process_lock(void *bytes, size_t size);

/*
 * Reads a file whole.
 * @param status of the file: who may do what with it
 * @return its size; 0 where it is no file, cannot be read, is empty, or is longer than `size`
 */
size_t pg_read_file(const char *path, void *into, size_t size, struct stat *status);

/*
 * Looks at a file as sshd does: it and each directory above it must belong to this user or to root, and nobody else
 * may write there, but where the sticky bit leaves everybody the files of their own.
 * @param status of the file that was opened
 * @return what is wrong and what to do, or NULL
 */
const char *pg_owners_problem(const char *path, const struct stat *status);

#endif
