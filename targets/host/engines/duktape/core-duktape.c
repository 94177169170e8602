/*
 * The core on Duktape, as source. Functions, device and arrays lie on the engine's value stack from
 * pg_engine_open on, each in a place of its own; what a call pushes goes away with it.
 */
#include <duktape.h>
#include <stdlib.h>

#include "engine.h"
#include "heap.h"

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

static duk_context *engine;

static void *take(void *user, duk_size_t size) {
  (void)user;
  return size ? pg_heap_take(size) : NULL;
}

static void give(void *user, void *block) {
  (void)user;
  pg_heap_give(block);
}

static void *resize(void *user, void *block, duk_size_t size) {
  (void)user;
  if (size) return pg_heap_resize(block, size);
  pg_heap_give(block);
  return NULL;
}

/* What is asked for outside a protected call cannot be answered: the program ends, and is started anew. */
static void fatal(void *user, const char *message) {
  (void)user;
  (void)message;
  abort();
}

struct opening {
  const char *code;
  size_t code_size;
  uint8_t *memory;
  size_t size;
  const struct pg_core_config *config;
  enum pg_open_result result;
};

static void push_array(uint8_t *bytes, size_t size) {
  duk_push_external_buffer(engine);
  duk_config_buffer(engine, -1, bytes, size);
  duk_push_buffer_object(engine, -1, 0, size, DUK_BUFOBJ_UINT8ARRAY);
  duk_remove(engine, -2);
}

static void push_config(const struct pg_core_config *config) {
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
static int take_handles(duk_idx_t api, duk_idx_t device) {
  duk_dup(engine, device);
  duk_get_prop_index(engine, device, PG_START);
  duk_get_prop_index(engine, device, PG_LENGTH);
  push_array(pg_transfer_bytes, sizeof pg_transfer_bytes);
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
  push_array(opening->memory, opening->size);
  push_config(opening->config);
  duk_call(context, 2);
  if (duk_is_null(context, -1)) opening->result = PG_OPEN_SMALL_MEMORY;
  if (!duk_is_object(context, -1)) return 0;
  if (take_handles(api, api + 1)) opening->result = PG_OPEN_OK;
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
static duk_ret_t drop_boot_code(duk_context *context, void *user) {
  (void)context;
  (void)user;
  duk_eval_string(engine, "(function deep(n) { for (;;) { if (n) deep(n - 1); break; } })");
  duk_push_global_object(engine);
  duk_push_undefined(engine);
  duk_put_prop_string(engine, -2, "picogrant");
  duk_pop(engine);
  pg_heap_note_core(pg_heap_figures().used - pg_heap_figures().engine);
  duk_gc(engine, 0);
  duk_gc(engine, 0);
  duk_push_int(engine, DEPTH);
  duk_call(engine, 1);
  return 0;
}

enum pg_open_result pg_engine_open(const uint8_t *code, size_t code_size, uint8_t *memory, size_t size,
                                   const struct pg_core_config *config, size_t heap_limit) {
  /* The 0 behind the source is for engines that want one. */
  if (code_size > 0 && code[code_size - 1] == 0) code_size--;
  struct opening opening = {(const char *)code, code_size, memory, size, config, PG_OPEN_BAD_CODE};
  engine = duk_create_heap(take, resize, give, NULL, fatal);
  if (!engine || pg_heap_figures().peak > heap_limit) return PG_OPEN_NO_HEAP;
  pg_heap_note_engine(pg_heap_figures().used);
  /* Only now: an engine that runs out of heap while it makes its own objects crashes. */
  pg_heap_limit(heap_limit);
  duk_require_stack(engine, HANDLES);
  if (duk_safe_call(engine, open_device, &opening, 0, HANDLES) != DUK_EXEC_SUCCESS) {
    return PG_OPEN_BAD_CODE;
  }
  if (opening.result == PG_OPEN_OK &&
      duk_safe_call(engine, drop_boot_code, NULL, 0, 0) != DUK_EXEC_SUCCESS) {
    return PG_OPEN_BAD_CODE;
  }
  return opening.result;
}

void pg_engine_close(void) {
  if (engine) duk_destroy_heap(engine);
  engine = NULL;
}

static void push_argument(int value) {
  if (value == PG_ARGUMENT_TRANSFER) duk_dup(engine, TRANSFER);
  else if (value == PG_ARGUMENT_NULL) duk_push_null(engine);
  else duk_push_int(engine, value);
}

int pg_engine_call(enum pg_function function, int count, const int *arguments) {
  duk_dup(engine, FUNCTIONS + (int)function);
  duk_dup(engine, DEVICE);
  for (int i = 0; i < count; i++) push_argument(arguments[i]);
  if (duk_pcall(engine, 1 + count) != DUK_EXEC_SUCCESS) pg_engine_threw = 1;
  int result = duk_is_number(engine, -1) ? duk_get_int(engine, -1) : 0;
  duk_pop(engine);
  return result;
}

int pg_engine_has(enum pg_function function) {
  return duk_is_function(engine, FUNCTIONS + (int)function);
}

/* The integer on the top, which is taken off. */
static int pop_integer(void) {
  int value = duk_get_int_default(engine, -1, 0);
  duk_pop(engine);
  return value;
}

int pg_engine_property(enum pg_property property) {
  duk_get_prop_index(engine, DEVICE, (duk_uarridx_t)property);
  return pop_integer();
}

int pg_engine_start(int region) {
  duk_get_prop_index(engine, START, (duk_uarridx_t)region);
  return pop_integer();
}

int pg_engine_length(int region) {
  duk_get_prop_index(engine, LENGTH, (duk_uarridx_t)region);
  return pop_integer();
}
