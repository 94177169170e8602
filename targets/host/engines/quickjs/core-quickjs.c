/*
 * The core on QuickJS: every call is a JS_Call with integers, the device is an array,
 * and the arrays of bytes lie over the host's own memory. That is why nothing here allocates after
 * pg_engine_open: an int is no heap object, and an element needs no name.
 */
#include <quickjs.h>

#include "engine.h"

/* What a 32-bit board has for the grant alone; pointers twice as long need more than as much again. */
const size_t pg_heap_default = sizeof(void *) == 8 ? 262144 : 98304;

/* What hangs on `core->engine`: of the device's own heap. */
struct handles {
  JSRuntime *runtime;
  JSContext *context;
  JSValue device;
  JSValue start;
  JSValue length;
  JSValue transfer;
  JSValue functions[PG_FUNCTION_COUNT];
};

static struct handles *handles_of(struct pg_core *core) { return core->engine; }

/* The engine looks at its own account of the heap when it decides whether to collect garbage. */
static void *heap_malloc(JSMallocState *state, size_t size) {
  void *block = pg_heap_take(state->opaque, size);
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
  pg_heap_give(state->opaque, block);
}

static void *heap_realloc(JSMallocState *state, void *block, size_t size) {
  if (!block) return size ? heap_malloc(state, size) : NULL;
  if (!size) {
    heap_free(state, block);
    return NULL;
  }
  size_t before = pg_heap_size(block);
  void *moved = pg_heap_resize(state->opaque, block, size);
  if (moved) state->malloc_size += pg_heap_size(moved) - before;
  return moved;
}

static const JSMallocFunctions heap_functions = {heap_malloc, heap_free, heap_realloc, pg_heap_size};

/* A Uint8Array over memory of the host's. */
static JSValue array_over(JSContext *context, uint8_t *bytes, size_t size) {
  /* The constructor reads all three, given or not. */
  JSValue arguments[3] = {JS_NewArrayBuffer(context, bytes, size, NULL, NULL, 0), JS_UNDEFINED,
                          JS_UNDEFINED};
  if (JS_IsException(arguments[0])) return JS_EXCEPTION;
  JSValue array = JS_NewTypedArray(context, 3, arguments, JS_TYPED_ARRAY_UINT8);
  JS_FreeValue(context, arguments[0]);
  return array;
}

/* Runs the core's program; it leaves `picogrant` in the global object. */
static int run_program(JSContext *context, JSValue program) {
  if (JS_VALUE_GET_TAG(program) != JS_TAG_FUNCTION_BYTECODE) {
    JS_FreeValue(context, program);
    return 0;
  }
  JSValue result = JS_EvalFunction(context, program);
  int ok = !JS_IsException(result);
  JS_FreeValue(context, result);
  return ok;
}

static JSValue config_object(JSContext *context, const struct pg_core_config *config) {
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
static JSValue make_device(JSContext *context, JSValue create, uint8_t *memory, size_t size,
                           const struct pg_core_config *config) {
  JSValue arguments[2] = {array_over(context, memory, size), config_object(context, config)};
  JSValue device = JS_EXCEPTION;
  if (!JS_IsException(arguments[0]) && !JS_IsException(arguments[1])) {
    device = JS_Call(context, create, JS_UNDEFINED, 2, arguments);
  }
  JS_FreeValue(context, arguments[0]);
  JS_FreeValue(context, arguments[1]);
  return device;
}

/* Takes the functions that are called out of the API. 1 where all of them are there. */
static int take_functions(struct handles *handles, JSValue api) {
  JSContext *context = handles->context;
  for (int i = 0; i < PG_FUNCTION_COUNT; i++) {
    handles->functions[i] = JS_GetPropertyStr(context, api, pg_function_names[i]);
    if (i < PG_FUNCTION_BEGIN_CALL && !JS_IsFunction(context, handles->functions[i])) return 0;
  }
  return 1;
}

/* Takes what the calls need out of the device. 1 where all of it is there. */
static int take_properties(struct pg_core *core) {
  struct handles *handles = handles_of(core);
  JSContext *context = handles->context;
  handles->start = JS_GetPropertyUint32(context, handles->device, PG_START);
  handles->length = JS_GetPropertyUint32(context, handles->device, PG_LENGTH);
  handles->transfer = array_over(context, core->transfer, sizeof core->transfer);
  return JS_IsObject(handles->start) && JS_IsObject(handles->length) &&
         !JS_IsException(handles->transfer);
}

/* The handles, empty, in a block of the heap. 0: there is no room. */
static int take_handles(struct pg_core *core) {
  struct handles *handles = pg_heap_take(&core->heap, sizeof *handles);
  core->engine = handles;
  if (!handles) return 0;
  handles->runtime = NULL;
  handles->context = NULL;
  handles->device = handles->start = handles->length = handles->transfer = JS_UNDEFINED;
  for (int i = 0; i < PG_FUNCTION_COUNT; i++) handles->functions[i] = JS_UNDEFINED;
  return 1;
}

/*
 * The runtime, the core's program, and the objects that it needs: base objects and typed arrays, no
 * eval, no regular expressions. The program is read first, while no names but the engine's own exist:
 * only then can its bytecode be used where it lies (flash) without a copy on the heap.
 */
static int start_engine(struct pg_core *core, size_t heap_limit, const uint8_t *code, size_t size,
                        JSValue *program) {
  struct pg_heap *heap = &core->heap;
  if (!take_handles(core)) return 0;
  struct handles *handles = handles_of(core);
  handles->runtime = JS_NewRuntime2(&heap_functions, heap);
  if (!handles->runtime) return 0;
  JSContext *context = JS_NewContextRaw(handles->runtime);
  handles->context = context;
  if (!context) return 0;
  size_t before = heap->used;
  *program = JS_ReadObject(context, code, size, JS_READ_OBJ_BYTECODE | JS_READ_OBJ_ROM_DATA);
  size_t read = heap->used;
  JS_AddIntrinsicBaseObjects(context);
  JS_AddIntrinsicTypedArrays(context);
  heap->engine = before + heap->used - read;
  /* Only now: an engine that runs out of heap while it makes its own objects crashes. */
  heap->limit = heap_limit;
  return heap->peak <= heap_limit;
}

/*
 * Gives back the API, once its functions that are called are taken out of it: the others go with it, before
 * create needs the most of the heap that is ever needed.
 */
static void drop_api(struct handles *handles, JSValue *api) {
  JSContext *context = handles->context;
  JSValue global = JS_GetGlobalObject(context);
  JS_SetPropertyStr(context, global, "picogrant", JS_UNDEFINED);
  JS_FreeValue(context, global);
  JS_FreeValue(context, *api);
  *api = JS_UNDEFINED;
  JS_RunGC(handles->runtime);
}

static JSValue take_api(JSContext *context) {
  JSValue global = JS_GetGlobalObject(context);
  JSValue api = JS_GetPropertyStr(context, global, "picogrant");
  JS_FreeValue(context, global);
  return api;
}

static enum pg_open_result open_device(struct pg_core *core, JSValue program, uint8_t *memory,
                                       size_t size, const struct pg_core_config *config) {
  struct handles *handles = handles_of(core);
  struct pg_heap *heap = &core->heap;
  JSContext *context = handles->context;
  if (!run_program(context, program)) return PG_OPEN_BAD_CODE;
  enum pg_open_result result = PG_OPEN_BAD_CODE;
  JSValue create = JS_UNDEFINED;
  JSValue api = take_api(context);
  if (JS_IsObject(api) && take_functions(handles, api)) {
    create = JS_GetPropertyStr(context, api, "create");
    size_t whole = heap->used;
    drop_api(handles, &api);
    size_t kept = heap->used;
    handles->device = make_device(context, create, memory, size, config);
    if (JS_IsNull(handles->device)) result = PG_OPEN_SMALL_MEMORY;
    else if (JS_IsObject(handles->device) && take_properties(core)) result = PG_OPEN_OK;
    JS_FreeValue(context, create);
    create = JS_UNDEFINED;
    /* The largest function there is goes too. */
    JS_RunGC(handles->runtime);
    /* As if everything but create were still there. */
    heap->core = heap->used + (whole - kept) - heap->engine;
  }
  JS_FreeValue(context, create);
  JS_FreeValue(context, api);
  return result;
}

enum pg_open_result pg_engine_open(struct pg_core *core, const uint8_t *code, size_t code_size,
                                   uint8_t *memory, size_t size, const struct pg_core_config *config,
                                   size_t heap_limit) {
  JSValue program = JS_UNDEFINED;
  if (start_engine(core, heap_limit, code, code_size, &program)) {
    return open_device(core, program, memory, size, config);
  }
  if (core->engine && handles_of(core)->context) JS_FreeValue(handles_of(core)->context, program);
  return PG_OPEN_NO_HEAP;
}

void pg_engine_close(struct pg_core *core) {
  struct handles *handles = handles_of(core);
  JSContext *context = handles->context;
  if (context) {
    for (int i = 0; i < PG_FUNCTION_COUNT; i++) JS_FreeValue(context, handles->functions[i]);
    JS_FreeValue(context, handles->start);
    JS_FreeValue(context, handles->length);
    JS_FreeValue(context, handles->transfer);
    JS_FreeValue(context, handles->device);
    JS_FreeContext(context);
  }
  if (handles->runtime) JS_FreeRuntime(handles->runtime);
  pg_heap_give(&core->heap, handles);
}

/* The integer that a value is; anything else, an exception too, means that the engine is broken. */
static int integer_of(struct pg_core *core, JSValue value) {
  if (JS_VALUE_GET_TAG(value) == JS_TAG_INT) return JS_VALUE_GET_INT(value);
  if (JS_IsException(value)) core->threw = 1;
  JS_FreeValue(handles_of(core)->context, value);
  return 0;
}

static JSValue argument(const struct handles *handles, int value) {
  if (value == PG_ARGUMENT_TRANSFER) return handles->transfer;
  return value == PG_ARGUMENT_NULL ? JS_NULL : JS_NewInt32(handles->context, value);
}

int pg_engine_call(struct pg_core *core, enum pg_function function, int count,
                   const int *arguments) {
  const struct handles *handles = handles_of(core);
  JSValue values[PG_ARGUMENTS_MAX] = {handles->device};
  for (int i = 0; i < count; i++) values[1 + i] = argument(handles, arguments[i]);
  return integer_of(core, JS_Call(handles->context, handles->functions[function], JS_UNDEFINED,
                                  1 + count, values));
}

int pg_engine_has(struct pg_core *core, enum pg_function function) {
  const struct handles *handles = handles_of(core);
  return JS_IsFunction(handles->context, handles->functions[function]);
}

/* An integer of the device, or of an array of its own. */
static int element(struct pg_core *core, JSValue array, uint32_t index) {
  return integer_of(core, JS_GetPropertyUint32(handles_of(core)->context, array, index));
}

int pg_engine_property(struct pg_core *core, enum pg_property property) {
  return element(core, handles_of(core)->device, (uint32_t)property);
}

int pg_engine_start(struct pg_core *core, int region) {
  return element(core, handles_of(core)->start, (uint32_t)region);
}

int pg_engine_length(struct pg_core *core, int region) {
  return element(core, handles_of(core)->length, (uint32_t)region);
}
