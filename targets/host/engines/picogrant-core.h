/*
 * A device whose core is a script on an engine. picogrant.c has a header of the same name in its folder: the compiler's
 * include path decides between them.
 */
#ifndef PICOGRANT_CORE_H
#define PICOGRANT_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "heap.h"

/* For ports with information about the engine. */
#define PG_HAS_ENGINE 1

#ifdef __cplusplus
extern "C" {
#endif

/* Longest piece of one pg_response_body or pg_add_path, in bytes: the engine's side of the copy. */
enum { PG_TRANSFER_BYTES = 512 };

/* The engine of the core's script. Zeros mean an engine of its own, the linked code, and a sufficient heap. */
struct pg_engine {
  /*
   * NULL, or the firmware's engine: a JSContext with base objects and typed arrays. Its heap is then the firmware's
   * responsibility. Its scripts and the core's share nothing except the global name `picogrant`, which
   * is undefined again afterwards. It must outlive pg_core_close, and must not be called from within one of its
   * functions.
   */
  void *context;
  const uint8_t *code; /* bytecode; unchanged until pg_core_close. NULL: pg_core_code */
  size_t code_size;
  size_t heap_limit; /* bytes that an engine of the core's own may have at any moment; 0: pg_heap_default */
};

/*
 * A device: its engine, and its use of the heap. pg_core_open fills it in, whatever it held; zeros mean closed. The
 * owner reads `heap` and `release`, and leaves the rest alone.
 */
struct pg_core {
  void *engine; /* its context; NULL: not open */
  void *parts;  /* what the core's code left there (engines/engine.h) */
  int is_guest; /* 1: the engine is the firmware's own */
  int threw;    /* the result of pg_core_broken */
  int release;  /* of the code; 0: unknown */
  struct pg_heap heap;
  uint8_t transfer[PG_TRANSFER_BYTES];
};

/* A sufficient heap limit for this engine on this kind of machine. */
extern const size_t pg_heap_default;

#ifdef __cplusplus
}
#endif

#endif
