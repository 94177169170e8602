/*
 * An engine's heap: malloc with a count and a limit, the same for every engine. Each device has one of its own, in its
 * struct pg_core, but for an engine of the firmware's own (pg_core_open). A firmware puts its own heap region behind malloc, or writes heap.c anew. What is counted is what the
 * engine asked for, not what libc or a TLS library take.
 */
#ifndef PICOGRANT_HEAP_H
#define PICOGRANT_HEAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Added to each block, as QuickJS reckons it. */
enum { PG_HEAP_OVERHEAD = 8 };

/* Begins as zeros: nothing is taken, and there is no limit. Whoever owns it reads the figures at any time. */
struct pg_heap {
  size_t used;        /* bytes now, with PG_HEAP_OVERHEAD for each block */
  size_t peak;        /* the most there ever were */
  size_t blocks;      /* blocks now */
  size_t limit;       /* what `used` may come to, from when it is set; 0: anything */
  size_t engine;      /* bytes of the engine's own objects, without any program: the engine's file notes it */
  size_t core;        /* bytes of the core with its device: of its functions those that are called */
  unsigned long calls;   /* requests for new or larger blocks since the start, refused ones too */
  unsigned long refused; /* those that the limit refused, or malloc */
};

/* A block of `size` bytes for pg_heap_give of the same heap; NULL for 0, and beyond the limit. */
void *pg_heap_take(struct pg_heap *heap, size_t size);

/* Gives a block of this heap back, NULL too. It is overwritten. */
void pg_heap_give(struct pg_heap *heap, void *block);

/* The block with another size, perhaps elsewhere; NULL beyond the limit leaves it as it is. 0 gives it back. */
void *pg_heap_resize(struct pg_heap *heap, void *block, size_t size);

/* Bytes of a block that the engine may use. */
size_t pg_heap_size(const void *block);

#ifdef __cplusplus
}
#endif

#endif
