/*
 * What a file for an engine must implement, so that picogrant.c can provide picogrant.h on it. The code generated for
 * hosts in C (targets/workbench/host/generate.ts) leaves one array in the global `picogrant`, in the order of enum
 * pg_part. It contains the core's single function, and `create` in the place of the device. An engine's file calls
 * `create` with memory and configuration, and stores the device, its arrays of starts, lengths and capacities, and the
 * transfer array in their places. It keeps the array and accesses elements by number, so that an open core looks up no
 * name and allocates nothing.
 */
#ifndef PICOGRANT_ENGINE_H
#define PICOGRANT_ENGINE_H

#include "picogrant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One member of the core's configuration: a text, or a number if `text` is NULL. */
struct pg_config_member {
  const char *name;
  const char *text;
  int number;
};

enum { PG_CONFIG_MEMBERS = 17 };

struct pg_opening {
  struct pg_core *core; /* zeros, except `opening->engine` */
  void *engine;         /* the firmware's engine, as in pg_core_open; NULL: create one on `core->heap` */
  const uint8_t *code;
  size_t code_size;
  uint8_t *memory;
  size_t size;
  size_t heap_limit; /* limit of `core->heap`, to be set after the engine has created its objects, or it may crash */
  const struct pg_config_member *config; /* PG_CONFIG_MEMBERS */
};

/* An argument that stands for the transfer array. It is outside the range of the core's integers. */
enum { PG_ARGUMENT_TRANSFER = 0x40000000 };

enum { PG_ARGUMENTS_MAX = 5 };

/*
 * Runs the code and creates the device. `core->engine` refers to everything that must be closed, also after a failure.
 * `core->parts` is the array. An engine of the core's own stores the size of its objects in `core->heap.engine`.
 */
enum pg_open_result pg_engine_open(struct pg_opening *opening);

/* Closes the core's own engine. In the firmware's engine, releases the core's objects. */
void pg_engine_close(struct pg_core *core);

/*
 * Calls PG_PART_CALL with the number of a function, the device and `count` further arguments. Returns its integer, or 0
 * for other values and missing functions: the build of the grant alone has no calls. Sets `core->threw` if it throws.
 */
int pg_engine_call(struct pg_core *core, enum pg_function function, int count, const int *arguments);

/* An integer of an array: the device, its starts, its lengths, or its capacities. */
int pg_engine_element(const struct pg_core *core, enum pg_part array, int index);

#ifdef __cplusplus
}
#endif

#endif
