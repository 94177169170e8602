/* struct pg_core for a core that is a script on an engine. The generated picogrant-core.h is for the core in C; the
 * include path determines which of the two is used. */
#ifndef PICOGRANT_CORE_H
#define PICOGRANT_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "heap.h"

/* Ports that report figures of the engine check this macro. */
#define PG_HAS_ENGINE 1

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes that are passed to the script at once. A longer status is cut, a longer target of a call is refused. */
enum { PG_TRANSFER_BYTES = 512 };

/* The engine for the core's script. With a struct of zeros, the core creates an engine with a sufficient heap, and runs
 * the linked bytecode. */
struct pg_engine {
  /* NULL, or the firmware's engine: a JSContext with base objects and typed arrays. Its heap is then the firmware's
   * responsibility. The core's script needs the global name `picogrant` during pg_core_open, which sets it to undefined.
   * The engine must outlive pg_core_close. Do not call the core from a function that the engine runs. */
  void *context;
  const uint8_t *code; /* the core's bytecode, which must not change until pg_core_close. NULL: pg_core_code */
  size_t code_size;
  size_t heap_limit; /* limit of the heap of the core's own engine, in bytes; 0: pg_heap_default */
};

/* A device with its engine and its heap. A device of zeros is closed. The owner may read `heap` and `release`, and must
 * not use the rest. */
struct pg_core {
  void *engine; /* the engine's context; NULL: the core is closed */
  void *parts;  /* the array that the core's code has left */
  int is_guest; /* 1: the engine is the firmware's own */
  int threw;    /* the result of pg_core_broken */
  int release;  /* the release of the code; 0: unknown */
  struct pg_heap heap;
  uint8_t transfer[PG_TRANSFER_BYTES];
};

/* A sufficient heap limit for this engine on this kind of machine. */
extern const size_t pg_heap_default;

#ifdef __cplusplus
}
#endif

#endif
