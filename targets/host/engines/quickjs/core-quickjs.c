/*
 * The core on QuickJS: every call is a JS_Call with integers, the device is an array,
 * and the arrays of bytes lie over the host's own memory. That is why nothing here allocates after
 * pg_engine_open: an int is no heap object, and an element needs no name.
 */
#include <quickjs.h>

#include "engine.h"
#include "heap.h"

/* What a 32-bit board has for the grant alone; pointers twice as long need more than as much again. */
const size_t pg_heap_default = sizeof(void *) == 8 ? 262144 : 98304;

static struct {
  JSRuntime *runtime;
  JSContext *context;
  JSValue device;
  JSValue start;
  JSValue length;
  JSValue transfer;
  JSValue functions[PG_FUNCTION_COUNT];
} core;

/* The engine looks at its own account of the heap when it decides whether to collect garbage. */
static void *heap_malloc(JSMallocState *state, size_t size) {
  void *block = pg_heap_take(size);
  if (block) {
    state->malloc_count++;
    state->malloc_size += pg_heap_size(block) + PG_HEAP_OVERHEAD;
  }
  return block;
}

static void heap_free(JSMallocState *state, void *block) {
  if (!block) return;
  state->malloc_count--;
  state->malloc_size -= pg_heap_size(block) + PG_HEAP_OVERHEAD;
  pg_heap_give(block);
}

static void *heap_realloc(JSMallocState *state, void *block, size_t size) {
  if (!block) return size ? heap_malloc(state, size) : NULL;
  if (!size) {
    heap_free(state, block);
    return NULL;
  }
  size_t before = pg_heap_size(block);
  void *moved = pg_heap_resize(block, size);
  if (moved) state->malloc_size += pg_heap_size(moved) - before;
  return moved;
}

static const JSMallocFunctions heap_functions = {heap_malloc, heap_free, heap_realloc, pg_heap_size};

/* A Uint8Array over memory of the host's. */
static JSValue array_over(uint8_t *bytes, size_t size) {
  JSContext *context = core.context;
  /* The constructor reads all three, given or not. */
  JSValue arguments[3] = {JS_NewArrayBuffer(context, bytes, size, NULL, NULL, 0), JS_UNDEFINED,
                          JS_UNDEFINED};
  if (JS_IsException(arguments[0])) return JS_EXCEPTION;
  JSValue array = JS_NewTypedArray(context, 3, arguments, JS_TYPED_ARRAY_UINT8);
  JS_FreeValue(context, arguments[0]);
  return array;
}

/* Runs the core's program; it leaves `picogrant` in the global object. */
static int run_program(JSValue program) {
  JSContext *context = core.context;
  if (JS_VALUE_GET_TAG(program) != JS_TAG_FUNCTION_BYTECODE) {
    JS_FreeValue(context, program);
    return 0;
  }
  JSValue result = JS_EvalFunction(context, program);
  int ok = !JS_IsException(result);
  JS_FreeValue(context, result);
  return ok;
}

static JSValue config_object(const struct pg_core_config *config) {
  JSContext *context = core.context;
  struct pg_config_member members[PG_CONFIG_MEMBERS];
  JSValue object = JS_NewObject(context);
  pg_config_members(config, members);
  for (int i = 0; i < PG_CONFIG_MEMBERS && !JS_IsException(object); i++) {
    JSValue value = members[i].text ? JS_NewString(context, members[i].text)
                                    : JS_NewInt32(context, members[i].number);
    if (JS_SetPropertyStr(context, object, members[i].name, value) >= 0) continue;
    JS_FreeValue(context, object);
    object = JS_EXCEPTION;
  }
  return object;
}

/* Calls create(memory, config). */
static JSValue make_device(JSValue create, uint8_t *memory, size_t size,
                           const struct pg_core_config *config) {
  JSContext *context = core.context;
  JSValue arguments[2] = {array_over(memory, size), config_object(config)};
  JSValue device = JS_EXCEPTION;
  if (!JS_IsException(arguments[0]) && !JS_IsException(arguments[1])) {
    device = JS_Call(context, create, JS_UNDEFINED, 2, arguments);
  }
  JS_FreeValue(context, arguments[0]);
  JS_FreeValue(context, arguments[1]);
  return device;
}

/* Takes the functions that are called out of the API. 1 where all of them are there. */
static int take_functions(JSValue api) {
  JSContext *context = core.context;
  for (int i = 0; i < PG_FUNCTION_COUNT; i++) {
    core.functions[i] = JS_GetPropertyStr(context, api, pg_function_names[i]);
    if (i < PG_FUNCTION_BEGIN_CALL && !JS_IsFunction(context, core.functions[i])) return 0;
  }
  return 1;
}

/* Takes what the calls need out of the device. 1 where all of it is there. */
static int take_properties(void) {
  JSContext *context = core.context;
  core.start = JS_GetPropertyUint32(context, core.device, PG_START);
  core.length = JS_GetPropertyUint32(context, core.device, PG_LENGTH);
  core.transfer = array_over(pg_transfer_bytes, sizeof pg_transfer_bytes);
  return JS_IsObject(core.start) && JS_IsObject(core.length) && !JS_IsException(core.transfer);
}

static void forget_handles(void) {
  core.device = core.start = core.length = core.transfer = JS_UNDEFINED;
  for (int i = 0; i < PG_FUNCTION_COUNT; i++) core.functions[i] = JS_UNDEFINED;
}

/*
 * The runtime, the core's program, and the objects that it needs: base objects and typed arrays, no
 * eval, no regular expressions. The program is read first, while no names but the engine's own exist:
 * only then can its bytecode be used where it lies (flash) without a copy on the heap.
 */
static int start_engine(size_t heap_limit, const uint8_t *code, size_t size, JSValue *program) {
  core.runtime = JS_NewRuntime2(&heap_functions, NULL);
  if (!core.runtime) return 0;
  core.context = JS_NewContextRaw(core.runtime);
  if (!core.context) return 0;
  size_t before = pg_heap_figures().used;
  *program = JS_ReadObject(core.context, code, size, JS_READ_OBJ_BYTECODE | JS_READ_OBJ_ROM_DATA);
  size_t read = pg_heap_figures().used;
  JS_AddIntrinsicBaseObjects(core.context);
  JS_AddIntrinsicTypedArrays(core.context);
  pg_heap_note_engine(before + pg_heap_figures().used - read);
  /* Only now: an engine that runs out of heap while it makes its own objects crashes. */
  pg_heap_limit(heap_limit);
  return pg_heap_figures().peak <= heap_limit;
}

/*
 * Gives back the API, once its functions that are called are taken out of it: the others go with it, before
 * create needs the most of the heap that is ever needed.
 */
static void drop_api(JSValue *api) {
  JSContext *context = core.context;
  JSValue global = JS_GetGlobalObject(context);
  JS_SetPropertyStr(context, global, "picogrant", JS_UNDEFINED);
  JS_FreeValue(context, global);
  JS_FreeValue(context, *api);
  *api = JS_UNDEFINED;
  JS_RunGC(core.runtime);
}

static JSValue take_api(void) {
  JSValue global = JS_GetGlobalObject(core.context);
  JSValue api = JS_GetPropertyStr(core.context, global, "picogrant");
  JS_FreeValue(core.context, global);
  return api;
}

static enum pg_open_result open_device(JSValue program, uint8_t *memory, size_t size,
                                       const struct pg_core_config *config) {
  JSContext *context = core.context;
  if (!run_program(program)) return PG_OPEN_BAD_CODE;
  enum pg_open_result result = PG_OPEN_BAD_CODE;
  JSValue create = JS_UNDEFINED;
  JSValue api = take_api();
  if (JS_IsObject(api) && take_functions(api)) {
    create = JS_GetPropertyStr(context, api, "create");
    size_t whole = pg_heap_figures().used;
    drop_api(&api);
    size_t kept = pg_heap_figures().used;
    core.device = make_device(create, memory, size, config);
    if (JS_IsNull(core.device)) result = PG_OPEN_SMALL_MEMORY;
    else if (JS_IsObject(core.device) && take_properties()) result = PG_OPEN_OK;
    JS_FreeValue(context, create);
    create = JS_UNDEFINED;
    /* The largest function there is goes too. */
    JS_RunGC(core.runtime);
    /* As if everything but create were still there. */
    pg_heap_note_core(pg_heap_figures().used + (whole - kept) - pg_heap_figures().engine);
  }
  JS_FreeValue(context, create);
  JS_FreeValue(context, api);
  return result;
}

enum pg_open_result pg_engine_open(const uint8_t *code, size_t code_size, uint8_t *memory, size_t size,
                                   const struct pg_core_config *config, size_t heap_limit) {
  JSValue program = JS_UNDEFINED;
  forget_handles();
  if (start_engine(heap_limit, code, code_size, &program)) {
    return open_device(program, memory, size, config);
  }
  if (core.context) JS_FreeValue(core.context, program);
  return PG_OPEN_NO_HEAP;
}

void pg_engine_close(void) {
  JSContext *context = core.context;
  if (context) {
    for (int i = 0; i < PG_FUNCTION_COUNT; i++) JS_FreeValue(context, core.functions[i]);
    JS_FreeValue(context, core.start);
    JS_FreeValue(context, core.length);
    JS_FreeValue(context, core.transfer);
    JS_FreeValue(context, core.device);
    JS_FreeContext(context);
  }
  if (core.runtime) JS_FreeRuntime(core.runtime);
  core.context = NULL;
  core.runtime = NULL;
  forget_handles();
}

/* The integer that a value is; anything else, an exception too, means that the engine is broken. */
static int integer_of(JSValue value) {
  if (JS_VALUE_GET_TAG(value) == JS_TAG_INT) return JS_VALUE_GET_INT(value);
  if (JS_IsException(value)) pg_engine_threw = 1;
  JS_FreeValue(core.context, value);
  return 0;
}

static JSValue argument(int value) {
  if (value == PG_ARGUMENT_TRANSFER) return core.transfer;
  return value == PG_ARGUMENT_NULL ? JS_NULL : JS_NewInt32(core.context, value);
}

int pg_engine_call(enum pg_function function, int count, const int *arguments) {
  JSValue values[PG_ARGUMENTS_MAX] = {core.device};
  for (int i = 0; i < count; i++) values[1 + i] = argument(arguments[i]);
  return integer_of(
      JS_Call(core.context, core.functions[function], JS_UNDEFINED, 1 + count, values));
}

int pg_engine_has(enum pg_function function) {
  return JS_IsFunction(core.context, core.functions[function]);
}

int pg_engine_property(enum pg_property property) {
  return integer_of(JS_GetPropertyUint32(core.context, core.device, (uint32_t)property));
}

int pg_engine_start(int region) {
  return integer_of(JS_GetPropertyUint32(core.context, core.start, (uint32_t)region));
}

int pg_engine_length(int region) {
  return integer_of(JS_GetPropertyUint32(core.context, core.length, (uint32_t)region));
}
