/*
 * The core on QuickJS, as bytecode. Every call is a JS_Call with integers, and byte arrays refer to the host's memory.
 * Nothing is allocated after pg_engine_open, because integers are not on the heap and elements are accessed without a
 * name.
 */
#include <quickjs.h>

#include "engine.h"

/* On 32 bits, engine and core take at most 56 KiB. With 64-bit pointers they take more than twice as much. */
const size_t pg_heap_default = sizeof(void *) == 8 ? 262144 : 65536;

static void *heap_malloc(JSMallocState *state, size_t size) { return pg_heap_take(state->opaque, size); }
static void heap_free(JSMallocState *state, void *block) { pg_heap_give(state->opaque, block); }

static void *heap_realloc(JSMallocState *state, void *block, size_t size) {
  return pg_heap_resize(state->opaque, block, size);
}

static const JSMallocFunctions heap_functions = {heap_malloc, heap_free, heap_realloc, pg_heap_size};

static JSContext *own_context(struct pg_heap *heap) {
  JSRuntime *runtime = JS_NewRuntime2(&heap_functions, heap);
  JSContext *context = runtime ? JS_NewContextRaw(runtime) : NULL;
  if (runtime && !context) JS_FreeRuntime(runtime);
  return context;
}

/*
 * Reads the core's program. In an engine of its own, this happens while only the engine's names exist, because only
 * then can QuickJS use the bytecode in place (flash). After that it adds the required objects, but no eval and no
 * regular expressions.
 */
static JSValue read_program(JSContext *context, struct pg_opening *opening) {
  struct pg_heap *heap = &opening->core->heap;
  size_t before = heap->used;
  JSValue program = JS_ReadObject(context, opening->code, opening->code_size,
                                  JS_READ_OBJ_BYTECODE | JS_READ_OBJ_ROM_DATA);
  size_t read = heap->used;
  if (opening->engine) return program;
  JS_AddIntrinsicBaseObjects(context);
  JS_AddIntrinsicTypedArrays(context);
  heap->engine = before + heap->used - read;
  heap->limit = opening->heap_limit;
  return program;
}

/* Runs the program, and takes the resulting array out of the global object. */
static JSValue run_program(JSContext *context, JSValue program) {
  JSValue global = JS_GetGlobalObject(context);
  JS_FreeValue(context, JS_EvalFunction(context, program));
  JSValue parts = JS_GetPropertyStr(context, global, "picogrant");
  JS_SetPropertyStr(context, global, "picogrant", JS_UNDEFINED);
  JS_FreeValue(context, global);
  return parts;
}

/* A Uint8Array of the host's memory. The constructor always reads three arguments. */
static JSValue array_over(JSContext *context, uint8_t *bytes, size_t size) {
  JSValue arguments[3] = {JS_NewArrayBuffer(context, bytes, size, NULL, NULL, 0), JS_UNDEFINED,
                          JS_UNDEFINED};
  if (JS_IsException(arguments[0])) return JS_EXCEPTION;
  JSValue array = JS_NewTypedArray(context, 3, arguments, JS_TYPED_ARRAY_UINT8);
  JS_FreeValue(context, arguments[0]);
  return array;
}

static JSValue make_device(JSContext *context, JSValue create, struct pg_opening *opening) {
  JSValue arguments[2] = {array_over(context, opening->memory, opening->size), JS_NewObject(context)};
  int failed = JS_IsException(arguments[0]) || JS_IsException(arguments[1]);
  for (int i = 0; i < PG_CONFIG_MEMBERS && !failed; i++) {
    const struct pg_config_member *member = &opening->config[i];
    JSValue value = member->text ? JS_NewString(context, member->text) : JS_NewInt32(context, member->number);
    failed = JS_SetPropertyStr(context, arguments[1], member->name, value) < 0;
  }
  JSValue device = failed ? JS_EXCEPTION : JS_Call(context, create, JS_UNDEFINED, 2, arguments);
  JS_FreeValue(context, arguments[0]);
  JS_FreeValue(context, arguments[1]);
  return device;
}

enum pg_open_result pg_engine_open(struct pg_opening *opening) {
  struct pg_core *core = opening->core;
  JSContext *context = opening->engine ? opening->engine : own_context(&core->heap);
  core->engine = context;
  if (!context) return PG_OPEN_NO_HEAP;
  JSValue program = read_program(context, opening);
  if (core->heap.peak > core->heap.limit && !opening->engine) {
    JS_FreeValue(context, program);
    return PG_OPEN_NO_HEAP;
  }
  JSValue parts = run_program(context, program);
  if (JS_IsObject(parts)) core->parts = JS_VALUE_GET_PTR(parts);
  JSValue create = JS_GetPropertyUint32(context, parts, PG_PART_DEVICE);
  JSValue device = make_device(context, create, opening);
  JS_FreeValue(context, create);
  JS_FreeValue(context, JS_GetException(context));
  if (!JS_IsObject(device)) return JS_IsNull(device) ? PG_OPEN_SMALL_MEMORY : PG_OPEN_INVALID_CODE;
  JS_SetPropertyUint32(context, parts, PG_PART_START, JS_GetPropertyUint32(context, device, PG_START));
  JS_SetPropertyUint32(context, parts, PG_PART_LENGTH, JS_GetPropertyUint32(context, device, PG_LENGTH));
  JS_SetPropertyUint32(context, parts, PG_PART_CAPACITY, JS_GetPropertyUint32(context, device, PG_CAPACITY));
  /* The device takes the place of create. That is the largest function, and is released now. */
  JS_SetPropertyUint32(context, parts, PG_PART_DEVICE, device);
  JSValue transfer = array_over(context, core->transfer, sizeof core->transfer);
  if (JS_IsException(transfer)) return PG_OPEN_INVALID_CODE;
  JS_SetPropertyUint32(context, parts, PG_PART_TRANSFER, transfer);
  return PG_OPEN_OK;
}

void pg_engine_close(struct pg_core *core) {
  JSContext *context = core->engine;
  JSRuntime *runtime = JS_GetRuntime(context);
  if (core->parts) JS_FreeValue(context, JS_MKPTR(JS_TAG_OBJECT, core->parts));
  if (core->is_guest) return;
  JS_FreeContext(context);
  JS_FreeRuntime(runtime);
}

/* The caller must free it. */
static JSValue part_of(const struct pg_core *core, int part) {
  return JS_GetPropertyUint32(core->engine, JS_MKPTR(JS_TAG_OBJECT, core->parts), (uint32_t)part);
}

/* The integer of a value, or 0 for other values. */
static int integer_of(const struct pg_core *core, JSValue value) {
  if (JS_VALUE_GET_TAG(value) == JS_TAG_INT) return JS_VALUE_GET_INT(value);
  JS_FreeValue(core->engine, JS_GetException(core->engine));
  JS_FreeValue(core->engine, value);
  return 0;
}

int pg_engine_call(struct pg_core *core, enum pg_function function, int count, const int *arguments) {
  JSContext *context = core->engine;
  JSValue callee = part_of(core, PG_PART_CALL);
  JSValue values[2 + PG_ARGUMENTS_MAX] = {JS_NewInt32(context, (int)function), part_of(core, PG_PART_DEVICE)};
  for (int i = 0; i < count; i++) {
    values[2 + i] = arguments[i] == PG_ARGUMENT_TRANSFER ? part_of(core, PG_PART_TRANSFER)
                                                         : JS_NewInt32(context, arguments[i]);
  }
  JSValue result = JS_Call(context, callee, JS_UNDEFINED, 2 + count, values);
  for (int i = 0; i < 2 + count; i++) JS_FreeValue(context, values[i]);
  JS_FreeValue(context, callee);
  if (JS_IsException(result)) core->threw = 1;
  return integer_of(core, result);
}

int pg_engine_element(const struct pg_core *core, enum pg_part array, int index) {
  JSValue object = part_of(core, array);
  JSValue value = JS_GetPropertyUint32(core->engine, object, (uint32_t)index);
  JS_FreeValue(core->engine, object);
  return integer_of(core, value);
}
