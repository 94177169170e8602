/*
 * The core on Duktape, as source. Functions, device and arrays lie on the engine's value stack from
 * pg_engine_open on, each in a place of its own; what a call pushes goes away with it.
 */
#include <duktape.h>
#include <stdlib.h>

#include "engine.h"

/* Places on the stack; the functions lie from FUNCTIONS on. */
enum {
  DEVICE,
  START,
  LENGTH,
  TRANSFER,
  FUNCTIONS,
  HANDLES = FUNCTIONS + PG_FUNCTION_COUNT
};

/* The compiled functions of a source are in RAM. */
const size_t pg_heap_default = sizeof(void *) == 8 ? 393216 : 262144;

/* `user`: the device's heap. */
static void *take(void *user, duk_size_t size) {
  return size ? pg_heap_take(user, size) : NULL;
}

static void give(void *user, void *block) {
  pg_heap_give(user, block);
}

static void *resize(void *user, void *block, duk_size_t size) {
  if (size) return pg_heap_resize(user, block, size);
  pg_heap_give(user, block);
  return NULL;
}

/* What is asked for outside a protected call cannot be answered: the program ends, and is started anew. */
static void fatal(void *user, const char *message) {
  (void)user;
  (void)message;
  abort();
}

struct opening {
  struct pg_core *core;
  const char *code;
  size_t code_size;
  uint8_t *memory;
  size_t size;
  const struct pg_core_config *config;
  enum pg_open_result result;
};

static void push_array(duk_context *engine, uint8_t *bytes, size_t size) {
  duk_push_external_buffer(engine);
  duk_config_buffer(engine, -1, bytes, size);
  duk_push_buffer_object(engine, -1, 0, size, DUK_BUFOBJ_UINT8ARRAY);
  duk_remove(engine, -2);
}

static void push_config(duk_context *engine, const struct pg_core_config *config) {
  struct pg_config_member members[PG_CONFIG_MEMBERS];
  pg_config_members(config, members);
  duk_push_object(engine);
  for (int i = 0; i < PG_CONFIG_MEMBERS; i++) {
    if (members[i].text) duk_push_string(engine, members[i].text);
    else duk_push_int(engine, members[i].number);
    duk_put_prop_string(engine, -2, members[i].name);
  }
}

/* Puts into their places what the calls need. The API is on the top. */
static int take_handles(struct pg_core *core, duk_idx_t api, duk_idx_t device) {
  duk_context *engine = core->engine;
  duk_dup(engine, device);
  duk_get_prop_index(engine, device, PG_START);
  duk_get_prop_index(engine, device, PG_LENGTH);
  push_array(engine, core->transfer, sizeof core->transfer);
  for (int i = 0; i < PG_FUNCTION_COUNT; i++) {
    duk_get_prop_string(engine, api, pg_function_names[i]);
    if (i < PG_FUNCTION_BEGIN_CALL && !duk_is_function(engine, -1)) return 0;
  }
  return 1;
}

/* Runs protected. Leaves the handles on the stack, and nothing else. */
static duk_ret_t open_device(duk_context *context, void *user) {
  struct opening *opening = user;
  opening->result = PG_OPEN_BAD_CODE;
  duk_require_stack(context, HANDLES + 4 * PG_ARGUMENTS_MAX);
  duk_push_lstring(context, opening->code, opening->code_size);
  duk_push_string(context, "core");
  duk_compile(context, DUK_COMPILE_EVAL);
  duk_call(context, 0);
  duk_pop(context);
  if (!duk_get_global_string(context, "picogrant") || !duk_is_object(context, -1)) return 0;
  duk_idx_t api = duk_get_top_index(context);
  duk_get_prop_string(context, api, "create");
  push_array(context, opening->memory, opening->size);
  push_config(context, opening->config);
  duk_call(context, 2);
  if (duk_is_null(context, -1)) opening->result = PG_OPEN_SMALL_MEMORY;
  if (!duk_is_object(context, -1)) return 0;
  if (take_handles(opening->core, api, api + 1)) opening->result = PG_OPEN_OK;
  return HANDLES;
}

/*
 * Calls deeper than the core's ever go. The core's functions have more variables than the one that goes so deep
 * here, and it is their places on the engine's stack that must be there before the first poll.
 */
enum { DEPTH = 64 };

/*
 * What is needed once is given back: the API with `create`, and the functions that nothing here calls. A
 * collection also gives back the frames of calls that have returned, and of their loops, so the engine makes
 * them anew here, and not at the first polls.
 */
static duk_ret_t drop_boot_code(duk_context *engine, void *user) {
  struct pg_heap *heap = user;
  duk_eval_string(engine, "(function deep(n) { for (;;) { if (n) deep(n - 1); break; } })");
  duk_push_global_object(engine);
  duk_push_undefined(engine);
  duk_put_prop_string(engine, -2, "picogrant");
  duk_pop(engine);
  heap->core = heap->used - heap->engine;
  duk_gc(engine, 0);
  duk_gc(engine, 0);
  duk_push_int(engine, DEPTH);
  duk_call(engine, 1);
  return 0;
}

enum pg_open_result pg_engine_open(struct pg_core *core, const uint8_t *code, size_t code_size,
                                   uint8_t *memory, size_t size, const struct pg_core_config *config,
                                   size_t heap_limit) {
  struct pg_heap *heap = &core->heap;
  /* The 0 behind the source is for engines that want one. */
  if (code_size > 0 && code[code_size - 1] == 0) code_size--;
  struct opening opening = {core, (const char *)code, code_size, memory, size, config, PG_OPEN_BAD_CODE};
  duk_context *engine = duk_create_heap(take, resize, give, heap, fatal);
  core->engine = engine;
  if (!engine || heap->peak > heap_limit) return PG_OPEN_NO_HEAP;
  heap->engine = heap->used;
  /* Only now: an engine that runs out of heap while it makes its own objects crashes. */
  heap->limit = heap_limit;
  duk_require_stack(engine, HANDLES);
  if (duk_safe_call(engine, open_device, &opening, 0, HANDLES) != DUK_EXEC_SUCCESS) {
    return PG_OPEN_BAD_CODE;
  }
  if (opening.result == PG_OPEN_OK &&
      duk_safe_call(engine, drop_boot_code, heap, 0, 0) != DUK_EXEC_SUCCESS) {
    return PG_OPEN_BAD_CODE;
  }
  return opening.result;
}

void pg_engine_close(struct pg_core *core) { duk_destroy_heap(core->engine); }

static void push_argument(duk_context *engine, int value) {
  if (value == PG_ARGUMENT_TRANSFER) duk_dup(engine, TRANSFER);
  else if (value == PG_ARGUMENT_NULL) duk_push_null(engine);
  else duk_push_int(engine, value);
}

int pg_engine_call(struct pg_core *core, enum pg_function function, int count,
                   const int *arguments) {
  duk_context *engine = core->engine;
  duk_dup(engine, FUNCTIONS + (int)function);
  duk_dup(engine, DEVICE);
  for (int i = 0; i < count; i++) push_argument(engine, arguments[i]);
  if (duk_pcall(engine, 1 + count) != DUK_EXEC_SUCCESS) core->threw = 1;
  int result = duk_is_number(engine, -1) ? duk_get_int(engine, -1) : 0;
  duk_pop(engine);
  return result;
}

int pg_engine_has(struct pg_core *core, enum pg_function function) {
  return duk_is_function(core->engine, FUNCTIONS + (int)function);
}

/* An integer of the device, or of an array of its own, in a place of the stack. */
static int element(struct pg_core *core, duk_idx_t array, int index) {
  duk_context *engine = core->engine;
  duk_get_prop_index(engine, array, (duk_uarridx_t)index);
  int value = duk_get_int_default(engine, -1, 0);
  duk_pop(engine);
  return value;
}

int pg_engine_property(struct pg_core *core, enum pg_property property) {
  return element(core, DEVICE, (int)property);
}

int pg_engine_start(struct pg_core *core, int region) { return element(core, START, region); }

int pg_engine_length(struct pg_core *core, int region) { return element(core, LENGTH, region); }
