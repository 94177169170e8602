/*
 * An engine's heap: malloc with a count and a limit, the same for every engine. Each device has its own, in its struct
 * pg_core, unless the engine is the firmware's (pg_core_open). Firmware replaces malloc with its own heap region, or
 * replaces heap.c. The count contains what the engine requested, not what libc or a TLS library takes.
 */
#ifndef PICOGRANT_HEAP_H
#define PICOGRANT_HEAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Added to each block, as QuickJS counts it. */
enum { PG_HEAP_OVERHEAD = 8 };

/* Starts as zeros: nothing is allocated, and there is no limit. Its owner may read the figures at any time. */
struct pg_heap {
  size_t used;        /* bytes now, with PG_HEAP_OVERHEAD for each block */
  size_t peak;        /* the most there ever were */
  size_t blocks;      /* blocks now */
  size_t limit;       /* limit of `used`, once it is set; 0: none */
  size_t engine;      /* bytes of the engine's own objects, without any program: the engine's file notes it */
  size_t core;        /* bytes of the core with its device: of its functions those that are called */
  unsigned long calls;   /* requests for new or larger blocks since the start, refused ones too */
  unsigned long refused; /* those that the limit refused, or malloc */
};

/* A block of `size` bytes for pg_heap_give of the same heap; NULL for 0, and beyond the limit. */
void *pg_heap_take(struct pg_heap *heap, size_t size);

/* Frees a block of this heap, or NULL. The block is wiped. */
void pg_heap_give(struct pg_heap *heap, void *block);

/* Resizes a block, which may move it; NULL beyond the limit leaves it unchanged. 0 frees it. */
void *pg_heap_resize(struct pg_heap *heap, void *block, size_t size);

/* The usable bytes of a block. */
size_t pg_heap_size(const void *block);

#ifdef __cplusplus
}
#endif

#endif
