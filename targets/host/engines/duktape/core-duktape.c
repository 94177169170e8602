/*
 * The core on Duktape, as source. Values that a call pushes are popped with it, so nothing stays on the value stack,
 * which may be the firmware's. The engine's stash holds the array of parts.
 */
#include <duktape.h>
#include <stdlib.h>

#include "engine.h"

/* The compiled functions of a source are in RAM. */
const size_t pg_heap_default = sizeof(void *) == 8 ? 393216 : 262144;

/* `heap`: the core's own. */
static void *take(void *heap, duk_size_t size) { return pg_heap_take(heap, size); }

static void give(void *heap, void *block) { pg_heap_give(heap, block); }

static void *resize(void *heap, void *block, duk_size_t size) { return pg_heap_resize(heap, block, size); }

/* An allocation failure outside a protected call cannot be reported: the program ends, and is restarted. */
static void fatal(void *heap, const char *message) {
  (void)heap;
  (void)message;
  abort();
}

static void push_array(duk_context *engine, uint8_t *bytes, size_t size) {
  duk_push_external_buffer(engine);
  duk_config_buffer(engine, -1, bytes, size);
  duk_push_buffer_object(engine, -1, 0, size, DUK_BUFOBJ_UINT8ARRAY);
  duk_remove(engine, -2);
}

/* Runs the source, and pushes the array that it leaves in the global object. */
static void push_parts(duk_context *engine, struct pg_opening *opening) {
  duk_eval_lstring_noresult(engine, (const char *)opening->code, opening->code_size);
  duk_push_global_object(engine);
  duk_get_prop_string(engine, -1, "picogrant");
  duk_push_undefined(engine);
  duk_put_prop_string(engine, -3, "picogrant");
  duk_remove(engine, -2);
}

/* Runs protected. */
static duk_ret_t make_device(duk_context *engine, void *user) {
  struct pg_opening *opening = user;
  struct pg_core *core = opening->core;
  push_parts(engine, opening);
  duk_get_prop_index(engine, -1, PG_PART_DEVICE);
  push_array(engine, opening->memory, opening->size);
  duk_push_object(engine);
  for (int i = 0; i < PG_CONFIG_MEMBERS; i++) {
    const struct pg_config_member *member = &opening->config[i];
    if (member->text) duk_push_string(engine, member->text);
    else duk_push_int(engine, member->number);
    duk_put_prop_string(engine, -2, member->name);
  }
  duk_call(engine, 2);
  if (duk_is_null(engine, -1)) return 0;
  duk_get_prop_index(engine, -1, PG_START);
  duk_put_prop_index(engine, -3, PG_PART_START);
  duk_get_prop_index(engine, -1, PG_LENGTH);
  duk_put_prop_index(engine, -3, PG_PART_LENGTH);
  duk_get_prop_index(engine, -1, PG_CAPACITY);
  duk_put_prop_index(engine, -3, PG_PART_CAPACITY);
  /* Replaces create, which is released. */
  duk_put_prop_index(engine, -2, PG_PART_DEVICE);
  push_array(engine, core->transfer, sizeof core->transfer);
  duk_put_prop_index(engine, -2, PG_PART_TRANSFER);
  duk_push_heap_stash(engine);
  duk_dup(engine, -2);
  duk_put_prop_lstring(engine, -2, (const char *)&core, sizeof core);
  core->parts = duk_require_heapptr(engine, -2);
  return 0;
}

/*
 * Deeper than the core ever calls. The core's functions have more variables than the recursive one here, and their
 * slots on the engine's stack must exist before the first poll.
 */
enum { DEPTH = 128 };

/*
 * Releases what is only needed once. A collection also releases frames of finished calls and loops, so the engine
 * creates them again here, and not during the first polls.
 */
static duk_ret_t settle(duk_context *engine, void *user) {
  (void)user;
  duk_eval_string(engine, "(function deep(n) { for (;;) { if (n) deep(n - 1); break; } })");
  duk_gc(engine, 0);
  duk_gc(engine, 0);
  duk_push_int(engine, DEPTH);
  duk_call(engine, 1);
  return 0;
}

static int is_done(duk_context *engine, duk_safe_call_function function, struct pg_opening *opening) {
  int result = duk_safe_call(engine, function, opening, 0, 1);
  duk_pop(engine);
  return result == DUK_EXEC_SUCCESS;
}

enum pg_open_result pg_engine_open(struct pg_opening *opening) {
  struct pg_core *core = opening->core;
  struct pg_heap *heap = &core->heap;
  core->engine = opening->engine ? opening->engine : duk_create_heap(take, resize, give, heap, fatal);
  if (!core->engine || (!opening->engine && heap->peak > opening->heap_limit)) return PG_OPEN_NO_HEAP;
  heap->engine = heap->used;
  heap->limit = opening->heap_limit;
  if (!is_done(core->engine, make_device, opening)) return PG_OPEN_INVALID_CODE;
  if (!core->parts) return PG_OPEN_SMALL_MEMORY;
  return is_done(core->engine, settle, opening) ? PG_OPEN_OK : PG_OPEN_INVALID_CODE;
}

void pg_engine_close(struct pg_core *core) {
  duk_context *engine = core->engine;
  if (!core->is_guest) duk_destroy_heap(engine);
  if (!core->is_guest || !core->parts) return;
  duk_push_heap_stash(engine);
  duk_del_prop_lstring(engine, -1, (const char *)&core, sizeof core);
  duk_pop(engine);
}

static void push_part(const struct pg_core *core, int part) {
  duk_push_heapptr(core->engine, core->parts);
  duk_get_prop_index(core->engine, -1, (duk_uarridx_t)part);
  duk_remove(core->engine, -2);
}

int pg_engine_call(struct pg_core *core, enum pg_function function, int count, const int *arguments) {
  duk_context *engine = core->engine;
  push_part(core, PG_PART_CALL);
  duk_push_int(engine, (int)function);
  push_part(core, PG_PART_DEVICE);
  for (int i = 0; i < count; i++) {
    if (arguments[i] == PG_ARGUMENT_TRANSFER) push_part(core, PG_PART_TRANSFER);
    else duk_push_int(engine, arguments[i]);
  }
  if (duk_pcall(engine, 2 + count) != DUK_EXEC_SUCCESS) core->threw = 1;
  int result = duk_get_int_default(engine, -1, 0);
  duk_pop(engine);
  return result;
}

int pg_engine_element(const struct pg_core *core, enum pg_part array, int index) {
  duk_context *engine = core->engine;
  push_part(core, array);
  duk_get_prop_index(engine, -1, (duk_uarridx_t)index);
  int value = duk_get_int_default(engine, -1, 0);
  duk_pop_2(engine);
  return value;
}
