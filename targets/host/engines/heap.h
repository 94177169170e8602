/* The heap of an engine that the core has created: malloc with a counter and a limit. Each device has its own heap in
 * its struct pg_core. The counter covers only the blocks of the engine, not those of libc or a TLS library. Firmware
 * may replace heap.c. */
#ifndef PICOGRANT_HEAP_H
#define PICOGRANT_HEAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes that are added to the size of each block in `used`, as QuickJS does. */
enum { PG_HEAP_OVERHEAD = 8 };

/* A heap. A heap of zeros is empty and has no limit. Its owner may read the figures at any time. */
struct pg_heap {
  size_t used;        /* current bytes, with PG_HEAP_OVERHEAD for each block */
  size_t peak;        /* the maximum of `used` */
  size_t blocks;      /* number of blocks at present */
  size_t limit;       /* a block is refused if its size would raise `used` above this; 0: no limit */
  size_t engine;      /* bytes of the engine's own objects before it runs a program; set by the engine's file */
  size_t core;        /* bytes of the core with its device; 0 on the firmware's own engine */
  unsigned long calls;   /* allocations and changes of size since the start, including refused ones */
  unsigned long refused; /* calls that failed because of the limit or malloc */
};

/* Allocates a block, which pg_heap_give of the same heap frees. Returns NULL for size 0, over the limit, or if malloc
 * does. */
void *pg_heap_take(struct pg_heap *heap, size_t size);

/* Wipes and frees a block of this heap, or NULL. */
void pg_heap_give(struct pg_heap *heap, void *block);

/* Resizes a block, which may move. Allocates one for NULL. Size 0 frees the block and returns NULL. Over the limit, or if
 * malloc fails, returns NULL and leaves the block unchanged. */
void *pg_heap_resize(struct pg_heap *heap, void *block, size_t size);

size_t pg_heap_size(const void *block);

#ifdef __cplusplus
}
#endif

#endif
