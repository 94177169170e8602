/* The heap of an engine that pg_core_open creates: malloc with a counter and a limit. Each struct pg_core has its own
 * heap. The counter covers the engine's blocks, not those of libc or a TLS library. Firmware may replace heap.c. */
#ifndef PICOGRANT_HEAP_H
#define PICOGRANT_HEAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `used` counts this many additional bytes for each block, as QuickJS does in its own statistics. */
enum { PG_HEAP_OVERHEAD = 8 };

/* A heap. If all members are 0, it is empty and has no limit. The owner may read the members at any time. */
struct pg_heap {
  size_t used;        /* current bytes, with PG_HEAP_OVERHEAD for each block */
  size_t peak;        /* the maximum of `used` */
  size_t blocks;      /* number of blocks at present */
  size_t limit;       /* a block is refused if its size would raise `used` above this; 0: no limit */
  size_t engine;      /* bytes of the engine's own objects before it runs a program; set by picogrant.c */
  size_t core;        /* bytes of the core with its device; 0 on the firmware's own engine */
  unsigned long calls;   /* allocations and changes of size since the start, including refused ones */
  unsigned long refused; /* calls that failed because of the limit or malloc */
};

/* Allocates a block, to be freed with pg_heap_give and the same heap. Returns NULL if `size` is 0, or after a
 * failure. */
void *pg_heap_take(struct pg_heap *heap, size_t size);

/* Wipes and frees a block of this heap. `block` may be NULL. */
void pg_heap_give(struct pg_heap *heap, void *block);

/* Resizes a block, and may move it. If `block` is NULL, allocates one. Size 0 frees the block and returns NULL. If the
 * limit would be exceeded or malloc fails, returns NULL and leaves the block unchanged. */
void *pg_heap_resize(struct pg_heap *heap, void *block, size_t size);

size_t pg_heap_size(const void *block);

#ifdef __cplusplus
}
#endif

#endif
