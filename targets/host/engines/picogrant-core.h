/*
 * A device whose core is a script on an engine. Where the core is picogrant.c, there is a header of this name beside it:
 * which of the two folders the compiler finds is what decides.
 */
#ifndef PICOGRANT_CORE_H
#define PICOGRANT_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "heap.h"

/* For ports that can say more of an engine. */
#define PG_HAS_ENGINE 1

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of one pg_response_body or pg_add_path at the most, for the engine's side of the copy. */
enum { PG_TRANSFER_BYTES = 512 };

/* What the core's script runs on. Zeros stand for an engine of its own, the code that is linked, and a heap that does. */
struct pg_engine {
  /*
   * NULL, or what the firmware has already: a JSContext with base objects and typed arrays, a duk_context. Its heap is the
   * firmware's affair then, its scripts and the core's know nothing of each other but a global name that is undefined
   * again, `picogrant`; it ends after pg_core_close, and nobody calls from within one of its functions
   */
  void *context;
  const uint8_t *code; /* bytecode, or source where the engine takes that; stays where it is until pg_core_close. NULL: pg_core_code */
  size_t code_size;
  size_t heap_limit; /* bytes that an engine of the core's own may have at any moment; 0: pg_heap_default */
};

/*
 * A device: its engine, and what it has taken of the heap. pg_core_open fills it in, whatever it held; one that is
 * zeros is closed. The owner reads `heap` and `release`, and leaves the rest alone.
 */
struct pg_core {
  void *engine; /* its context; NULL: not open */
  void *parts;  /* what the core's code left there (engines/engine.h) */
  int is_guest; /* 1: the engine is the firmware's own */
  int threw;    /* what pg_core_broken says */
  int release;  /* that the code is of; 0: of one that did not say it */
  struct pg_heap heap;
  uint8_t transfer[PG_TRANSFER_BYTES];
};

/* A limit of the heap that is enough for this engine on this kind of machine. */
extern const size_t pg_heap_default;

#ifdef __cplusplus
}
#endif

#endif
