/*
 * The engine's heap: counting allocators with a limit, over the host's malloc. A firmware puts its own
 * heap region here. What is counted is what the engine asked for, not what libc or libcurl take.
 */
#ifndef PICOGRANT_HEAP_H
#define PICOGRANT_HEAP_H

#include <quickjs.h>

struct pg_heap_figures {
  size_t used;        /* bytes now, with 8 bytes for each block as the engine reckons */
  size_t peak;        /* the most there ever were */
  size_t blocks;      /* blocks now */
  size_t limit;       /* what JS_SetMemoryLimit set */
  size_t engine;      /* bytes of the engine's own objects, without any program */
  size_t core;        /* bytes of the core with its device, all its functions but create */
  unsigned long calls;   /* requests for new or larger blocks since the start, refused ones too */
  unsigned long refused; /* those that the limit refused */
};

/* For JS_NewRuntime2; one heap, since there is one engine. */
extern const JSMallocFunctions pg_heap_functions;

/* The figures at this moment. */
struct pg_heap_figures pg_heap_figures(void);

/* Says how many of the bytes now in use are the engine's own. */
void pg_heap_note_engine(size_t bytes);

/* Says how many are the core's, where all of it but create is there. */
void pg_heap_note_core(size_t bytes);

/* Forgets all figures, before an engine starts. */
void pg_heap_reset(void);

#endif
