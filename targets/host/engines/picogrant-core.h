/* Defines struct pg_core for the core as a script on an engine. The generated file of the same name is for the core as
 * C. The include path determines which of the two files is used. */
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

/* The most bytes that are passed to the script at once. pg_set_status cuts a text at this size, and pg_call_resource
 * refuses a longer target. */
enum { PG_TRANSFER_BYTES = 512 };

/* The engine that runs the core's script. If all members are 0, pg_core_open creates an engine with a sufficient heap,
 * and runs the linked bytecode. */
struct pg_engine {
  /* NULL, or the firmware's engine: a JSContext with base objects and typed arrays, which outlives pg_core_close. The
   * firmware limits and wipes its heap. pg_core_open uses the global name `picogrant`, and then sets it to undefined.
   * Do not call the core from a function that the engine runs. */
  void *context;
  const uint8_t *code; /* the core's bytecode, which must not change until pg_core_close. NULL: pg_core_code */
  size_t code_size;
  size_t heap_limit; /* limit in bytes for the heap of an engine that pg_core_open creates; 0: pg_heap_default */
};

/* A device with its engine and its heap. If all members are 0, the device is closed. The owner may read `heap` and
 * `release`, and must not use the rest. */
struct pg_core {
  void *engine; /* the engine's context; NULL: the core is closed */
  void *parts;  /* the array that the core's script has left (picogrant.c) */
  int is_guest; /* 1: the engine is the firmware's own */
  int threw;    /* the result of pg_core_broken */
  int release;  /* PICOGRANT_VERSION_NUMBER of the script; 0: unknown */
  struct pg_heap heap;
  uint8_t transfer[PG_TRANSFER_BYTES];
};

/* A heap limit that suffices for this engine with the core on this kind of machine. */
extern const size_t pg_heap_default;

#ifdef __cplusplus
}
#endif

#endif
