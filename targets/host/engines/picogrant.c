/* Implements the core API on QuickJS. The core is a script in bytecode (targets/workbench/host/generate.ts). It leaves
 * an array in the global `picogrant`, with the elements of enum pg_part. PG_PART_CALL is the function that calls all
 * others, with integers as arguments. PG_PART_DEVICE is `create`, and later the device that it makes. Bytes are passed
 * in one array. Calls allocate nothing, because integers are not on the heap, and elements are accessed by index. */
#include <quickjs.h>
#include <string.h>

#include "core-code.h"
#include "picogrant-port.h"
#include "picogrant.h"

/* One member of the core's configuration: a text, or a number if `text` is NULL. */
struct member {
  const char *name;
  const char *text;
  int number;
};

/* Arguments for opening a core. `heap_limit` applies only after the engine has created its own objects, because QuickJS
 * may crash if one of its objects does not fit. */
struct opening {
  struct pg_core *core; /* contains zeros, except `is_guest` */
  void *engine;         /* the firmware's engine; NULL: create one on `core->heap` */
  const uint8_t *code;
  size_t code_size;
  uint8_t *memory;
  size_t size;
  size_t heap_limit;
  const struct member *config;
  size_t config_size;
};

/* TRANSFER, as an argument of `call`, stands for the transfer array. It is outside the range of the core's integers. */
enum { TRANSFER = 0x40000000, ARGUMENTS_MAX = 5 };

/* The engine and the core need less than this (test/host/arm.spec.ts, test/host/host.spec.ts). */
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

/* Reads the core's program. QuickJS can use the bytecode in place (in flash) only if it reads the bytecode before other
 * names exist. So a new engine gets its built-in objects only afterwards, without eval and regular expressions. */
static JSValue read_program(JSContext *context, struct opening *opening) {
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

static JSValue run_program(JSContext *context, JSValue program) {
  JSValue global = JS_GetGlobalObject(context);
  JS_FreeValue(context, JS_EvalFunction(context, program));
  JSValue parts = JS_GetPropertyStr(context, global, "picogrant");
  JS_SetPropertyStr(context, global, "picogrant", JS_UNDEFINED);
  JS_FreeValue(context, global);
  return parts;
}

/* Makes a Uint8Array over the host's memory, without a copy. JS_NewTypedArray always reads three arguments. */
static JSValue array_over(JSContext *context, uint8_t *bytes, size_t size) {
  JSValue arguments[3] = {JS_NewArrayBuffer(context, bytes, size, NULL, NULL, 0), JS_UNDEFINED,
                          JS_UNDEFINED};
  if (JS_IsException(arguments[0])) return JS_EXCEPTION;
  JSValue array = JS_NewTypedArray(context, 3, arguments, JS_TYPED_ARRAY_UINT8);
  JS_FreeValue(context, arguments[0]);
  return array;
}

static JSValue make_device(JSContext *context, JSValue create, struct opening *opening) {
  JSValue arguments[2] = {array_over(context, opening->memory, opening->size), JS_NewObject(context)};
  int failed = JS_IsException(arguments[0]) || JS_IsException(arguments[1]);
  for (size_t i = 0; i < opening->config_size && !failed; i++) {
    const struct member *member = &opening->config[i];
    JSValue value = member->text ? JS_NewString(context, member->text) : JS_NewInt32(context, member->number);
    failed = JS_SetPropertyStr(context, arguments[1], member->name, value) < 0;
  }
  JSValue device = failed ? JS_EXCEPTION : JS_Call(context, create, JS_UNDEFINED, 2, arguments);
  JS_FreeValue(context, arguments[0]);
  JS_FreeValue(context, arguments[1]);
  return device;
}

static enum pg_open_result open_engine(struct opening *opening) {
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
  /* Replaces `create` by the device. The engine now frees `create`, a large function. */
  JS_SetPropertyUint32(context, parts, PG_PART_DEVICE, device);
  JSValue transfer = array_over(context, core->transfer, sizeof core->transfer);
  if (JS_IsException(transfer)) return PG_OPEN_INVALID_CODE;
  JS_SetPropertyUint32(context, parts, PG_PART_TRANSFER, transfer);
  return PG_OPEN_OK;
}

static void close_engine(struct pg_core *core) {
  JSContext *context = core->engine;
  JSRuntime *runtime = JS_GetRuntime(context);
  if (core->parts) JS_FreeValue(context, JS_MKPTR(JS_TAG_OBJECT, core->parts));
  if (core->is_guest) return;
  JS_FreeContext(context);
  JS_FreeRuntime(runtime);
}

/* Returns an element of the core's array. The caller must free it. */
static JSValue part_of(const struct pg_core *core, int part) {
  return JS_GetPropertyUint32(core->engine, JS_MKPTR(JS_TAG_OBJECT, core->parts), (uint32_t)part);
}

/* Frees a value. Returns it if it is an integer, otherwise 0. */
static int integer_of(const struct pg_core *core, JSValue value) {
  if (JS_VALUE_GET_TAG(value) == JS_TAG_INT) return JS_VALUE_GET_INT(value);
  JS_FreeValue(core->engine, JS_GetException(core->engine));
  JS_FreeValue(core->engine, value);
  return 0;
}

/* Calls a function of the core. Returns its integer result; 0 without one, after an exception, or if this build lacks
 * it. */
static int call(struct pg_core *core, enum pg_function function, int count, const int *arguments) {
  JSContext *context = core->engine;
  JSValue callee = part_of(core, PG_PART_CALL);
  JSValue values[2 + ARGUMENTS_MAX] = {JS_NewInt32(context, (int)function), part_of(core, PG_PART_DEVICE)};
  for (int i = 0; i < count; i++) {
    values[2 + i] = arguments[i] == TRANSFER ? part_of(core, PG_PART_TRANSFER)
                                                         : JS_NewInt32(context, arguments[i]);
  }
  JSValue result = JS_Call(context, callee, JS_UNDEFINED, 2 + count, values);
  for (int i = 0; i < 2 + count; i++) JS_FreeValue(context, values[i]);
  JS_FreeValue(context, callee);
  if (JS_IsException(result)) core->threw = 1;
  return integer_of(core, result);
}

static int element(const struct pg_core *core, enum pg_part array, int index) {
  JSValue object = part_of(core, array);
  JSValue value = JS_GetPropertyUint32(core->engine, object, (uint32_t)index);
  JS_FreeValue(core->engine, object);
  return integer_of(core, value);
}

static const char *text_of(const char *text) { return text ? text : ""; }

enum pg_open_result pg_core_open(struct pg_core *core, uint8_t *memory, size_t size, const struct pg_core_config *config) {
  static const struct pg_engine zeros;
  const struct pg_engine *engine = config->engine ? config->engine : &zeros;
  const uint8_t *code = engine->code ? engine->code : pg_core_code;
  size_t code_size = engine->code ? engine->code_size : pg_core_code_size;
  size_t heap_limit = engine->heap_limit ? engine->heap_limit : pg_heap_default;
  int spread_ms = config->start_spread_ms ? config->start_spread_ms : PG_START_SPREAD_MS;
  const struct member members[] = {
      {"clientId", config->client_id, 0},
      {"clientSecret", text_of(config->client_secret), 0},
      {"clientAuthentication", NULL, config->client_authentication},
      {"server", config->server, 0},
      {"formerServer", text_of(config->former_server), 0},
      {"scope", text_of(config->scope), 0},
      {"deviceParameters", text_of(config->device_parameters), 0},
      {"tokenParameters", text_of(config->token_parameters), 0},
      {"columns", NULL, config->columns},
      {"rows", NULL, config->rows},
      {"seed", NULL, config->seed},
      {"autoStart", NULL, config->auto_start},
      {"renewalsMax", NULL, config->renewals_max},
      {"startSpreadMs", NULL, spread_ms == PG_START_AT_ONCE ? 0 : spread_ms},
      {"pkce", NULL, config->pkce},
      {"jsonBodies", NULL, config->json_bodies},
      {"messages", text_of(config->messages), 0},
  };
  struct opening opening = {core, engine->context, code, code_size, memory, size, heap_limit, members,
                           sizeof members / sizeof *members};
  *core = (struct pg_core){.is_guest = engine->context != NULL};
  enum pg_open_result result = open_engine(&opening);
  /* An engine throws if its heap is full, and if the code is invalid. A refused block means that the heap was full. */
  if (result == PG_OPEN_INVALID_CODE && core->heap.refused) result = PG_OPEN_NO_HEAP;
  if (core->parts) core->release = element(core, PG_PART_RELEASE, 0);
  if (core->parts && core->release != PICOGRANT_VERSION_NUMBER) result = PG_OPEN_OTHER_RELEASE;
  if (result != PG_OPEN_OK) pg_core_close(core);
  else core->heap.core = core->heap.used - core->heap.engine;
  return result;
}

void pg_core_close(struct pg_core *core) {
  if (core->engine) close_engine(core);
  core->engine = core->parts = NULL;
  pg_wipe(core->transfer, sizeof core->transfer);
}

int pg_core_broken(const struct pg_core *core) { return core->threw; }

static int call_0(struct pg_core *core, enum pg_function function) {
  return call(core, function, 0, NULL);
}

static int call_1(struct pg_core *core, enum pg_function function, int a) {
  return call(core, function, 1, &a);
}

static int transfer(struct pg_core *core, const void *bytes, size_t size) {
  if (size > sizeof core->transfer) size = sizeof core->transfer;
  memcpy(core->transfer, bytes, size);
  return (int)size;
}

int pg_tick(struct pg_core *core, int elapsed_ms) {
  return call_1(core, PG_FUNCTION_TICK, elapsed_ms);
}

int pg_wake_in(struct pg_core *core) { return call_0(core, PG_FUNCTION_WAKE_IN); }

int pg_response_start(struct pg_core *core, int request_id, int status, int retry_after_s) {
  const int arguments[] = {request_id, status, retry_after_s};
  return call(core, PG_FUNCTION_RESPONSE_START, 3, arguments);
}

static void response_with(struct pg_core *core, enum pg_function function, int request_id, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    int taken = transfer(core, bytes, size);
    const int arguments[] = {request_id, TRANSFER, 0, taken};
    call(core, function, 4, arguments);
    bytes += taken;
    size -= (size_t)taken;
  }
  pg_wipe(core->transfer, sizeof core->transfer);
}

void pg_set_endpoints(struct pg_core *core, int endpoints) {
  call_1(core, PG_FUNCTION_SET_ENDPOINTS, endpoints);
}

void pg_response_challenge(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size) {
  response_with(core, PG_FUNCTION_RESPONSE_CHALLENGE, request_id, bytes, size);
}

void pg_response_body(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size) {
  response_with(core, PG_FUNCTION_RESPONSE_BODY, request_id, bytes, size);
}

void pg_response_end(struct pg_core *core, int request_id) {
  call_1(core, PG_FUNCTION_RESPONSE_END, request_id);
}

void pg_response_failed(struct pg_core *core, int request_id) {
  call_1(core, PG_FUNCTION_RESPONSE_FAILED, request_id);
}

void pg_storage_done(struct pg_core *core, int result) {
  call_1(core, PG_FUNCTION_STORAGE_DONE, result);
}

void pg_sign_in(struct pg_core *core) { call_0(core, PG_FUNCTION_SIGN_IN); }

void pg_cancel(struct pg_core *core) { call_0(core, PG_FUNCTION_CANCEL); }

void pg_sign_out(struct pg_core *core) { call_0(core, PG_FUNCTION_SIGN_OUT); }

static int call_with_text(struct pg_core *core, enum pg_function function, const char *text) {
  const int arguments[] = {TRANSFER, 0, transfer(core, text, strlen(text))};
  return call(core, function, 3, arguments);
}

void pg_set_status(struct pg_core *core, const char *text) {
  call_with_text(core, PG_FUNCTION_SET_STATUS, text_of(text));
}

int pg_call_resource(struct pg_core *core, int endpoint, const char *target) {
  const int arguments[] = {endpoint, 1, TRANSFER, 0, 0};
  /* A core that is built for the grant alone has no calls, so PG_FUNCTION_BEGIN_CALL returns 0. */
  if (strlen(target) > sizeof core->transfer || !call_0(core, PG_FUNCTION_BEGIN_CALL)) return 0;
  call_with_text(core, PG_FUNCTION_ADD_PATH, target);
  return call(core, PG_FUNCTION_SEND_CALL, 5, arguments);
}

int pg_get(const struct pg_core *core, enum pg_property property) {
  return core->engine ? element(core, PG_PART_DEVICE, (int)property) : 0;
}

int pg_start(const struct pg_core *core, int region) {
  return element(core, PG_PART_START, region);
}

int pg_length(const struct pg_core *core, int region) {
  return element(core, PG_PART_LENGTH, region);
}

int pg_capacity(const struct pg_core *core, int region) {
  return element(core, PG_PART_CAPACITY, region);
}
