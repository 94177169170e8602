/*
 * The engine's heap: malloc with a count and a limit, the same for every engine. A firmware puts its own heap
 * region here. What is counted is what the engine asked for, not what libc or a TLS library take.
 */
#ifndef PICOGRANT_HEAP_H
#define PICOGRANT_HEAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Added to each block, as QuickJS reckons it. */
enum { PG_HEAP_OVERHEAD = 8 };

struct pg_heap_figures {
  size_t used;        /* bytes now, with PG_HEAP_OVERHEAD for each block */
  size_t peak;        /* the most there ever were */
  size_t blocks;      /* blocks now */
  size_t limit;       /* what pg_heap_limit set; 0: none */
  size_t engine;      /* bytes of the engine's own objects, without any program */
  size_t core;        /* bytes of the core with its device, all its functions but create */
  unsigned long calls;   /* requests for new or larger blocks since the start, refused ones too */
  unsigned long refused; /* those that the limit refused, or malloc */
};

/* A block of `size` bytes, at least 1; NULL beyond the limit. */
void *pg_heap_take(size_t size);

/* Gives a block back, NULL too. */
void pg_heap_give(void *block);

/* The block with another size, perhaps elsewhere; NULL leaves it as it is. `size` at least 1. */
void *pg_heap_resize(void *block, size_t size);

/* Bytes of a block that the engine may use. */
size_t pg_heap_size(const void *block);

/* Limits `used` from now on. */
void pg_heap_limit(size_t bytes);

/* The figures at this moment. */
struct pg_heap_figures pg_heap_figures(void);

/* Says how many of the bytes now in use are the engine's own. */
void pg_heap_note_engine(size_t bytes);

/* Says how many are the core's, where all of it but create is there. */
void pg_heap_note_core(size_t bytes);

/* Forgets all figures and the limit, before an engine starts. */
void pg_heap_reset(void);

#ifdef __cplusplus
}
#endif

#endif
