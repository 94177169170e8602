/*
 * The border of picogrant.h on QuickJS: every call is a JS_Call with integers, every property is read
 * by an atom made at the start, and bytes pass through two arrays that lie over the host's own memory.
 * That is why nothing here allocates after pg_core_open: an int is no heap object, an atom that exists
 * needs no look-up by name.
 */
#include "picogrant.h"

#include <quickjs.h>
#include <string.h>

#include "heap.h"
#include "wipe.h"

enum function {
  TICK,
  WAKE_IN,
  RESPONSE_START,
  RESPONSE_BODY,
  RESPONSE_END,
  RESPONSE_FAILED,
  STORAGE_DONE,
  SIGN_IN,
  CANCEL,
  SIGN_OUT,
  SET_STATUS,
  BEGIN_CALL,
  ADD_PATH,
  SEND_CALL,
  FUNCTION_COUNT
};

static const char *const function_names[FUNCTION_COUNT] = {
    "tick",        "wakeIn", "responseStart", "responseBody", "responseEnd", "responseFailed",
    "storageDone", "signIn", "cancel",        "signOut",      "setStatus",   "beginCall",
    "addPath",     "sendCall"};

/* In the order of enum pg_property. */
static const char *const property_names[PG_PROPERTY_COUNT] = {
    "requestId",  "endpoint", "isGet",       "target",     "targetLength", "body",
    "bodyLength", "authorization", "slot",        "data",       "dataLength",   "state",
    "event",      "moves",    "error",       "notSaved",   "callState",    "callError",
    "callStatus"};

static struct {
  JSRuntime *runtime;
  JSContext *context;
  JSValue device;
  JSValue start;
  JSValue length;
  JSValue transfer;
  JSValue functions[FUNCTION_COUNT];
  JSAtom properties[PG_PROPERTY_COUNT];
  int broken;
} core;

static uint8_t transfer_bytes[PG_TRANSFER_BYTES];

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

static int set_text(JSValue object, const char *name, const char *text) {
  return JS_SetPropertyStr(core.context, object, name, JS_NewString(core.context, text)) >= 0;
}

static int set_int(JSValue object, const char *name, int value) {
  return JS_SetPropertyStr(core.context, object, name, JS_NewInt32(core.context, value)) >= 0;
}

static JSValue config_object(const struct pg_core_config *config) {
  JSValue object = JS_NewObject(core.context);
  if (JS_IsException(object)) return object;
  if (set_text(object, "clientId", config->client_id) &&
      set_text(object, "clientSecret", config->client_secret) &&
      set_text(object, "scope", config->scope) &&
      set_text(object, "deviceParameters", config->device_parameters) &&
      set_text(object, "tokenParameters", config->token_parameters) &&
      set_text(object, "server", config->server) && set_text(object, "messages", "") && set_int(object, "columns", config->columns) &&
      set_int(object, "rows", config->rows) && set_int(object, "seed", config->seed) &&
      set_int(object, "autoStart", config->auto_start) &&
      set_int(object, "renewalsMax", config->renewals_max) &&
      set_int(object, "clientAuthentication", config->client_authentication)) {
    return object;
  }
  JS_FreeValue(core.context, object);
  return JS_EXCEPTION;
}

/* Calls create(memory, config). */
static JSValue make_device(JSValue api, uint8_t *memory, size_t size,
                           const struct pg_core_config *config) {
  JSContext *context = core.context;
  JSValue create = JS_GetPropertyStr(context, api, "create");
  JSValue arguments[2] = {array_over(memory, size), config_object(config)};
  JSValue device = JS_EXCEPTION;
  if (!JS_IsException(arguments[0]) && !JS_IsException(arguments[1])) {
    device = JS_Call(context, create, JS_UNDEFINED, 2, arguments);
  }
  JS_FreeValue(context, create);
  JS_FreeValue(context, arguments[0]);
  JS_FreeValue(context, arguments[1]);
  return device;
}

/* Takes what the calls need out of the API and the device. 1 where all of it is there. */
static int take_handles(JSValue api) {
  JSContext *context = core.context;
  for (int i = 0; i < FUNCTION_COUNT; i++) {
    core.functions[i] = JS_GetPropertyStr(context, api, function_names[i]);
    /* The grant alone has no calls of APIs. */
    if (i < BEGIN_CALL && !JS_IsFunction(context, core.functions[i])) return 0;
  }
  for (int i = 0; i < PG_PROPERTY_COUNT; i++) {
    core.properties[i] = JS_NewAtom(context, property_names[i]);
    if (core.properties[i] == JS_ATOM_NULL) return 0;
  }
  core.start = JS_GetPropertyStr(context, core.device, "start");
  core.length = JS_GetPropertyStr(context, core.device, "length");
  core.transfer = array_over(transfer_bytes, sizeof transfer_bytes);
  return JS_IsObject(core.start) && JS_IsObject(core.length) && !JS_IsException(core.transfer);
}

static void forget_handles(void) {
  core.device = core.start = core.length = core.transfer = JS_UNDEFINED;
  for (int i = 0; i < FUNCTION_COUNT; i++) core.functions[i] = JS_UNDEFINED;
  for (int i = 0; i < PG_PROPERTY_COUNT; i++) core.properties[i] = JS_ATOM_NULL;
  core.broken = 0;
}

/*
 * The runtime, the core's program, and the objects that it needs: base objects and typed arrays, no
 * eval, no regular expressions. The program is read first, while no names but the engine's own exist:
 * only then can its bytecode be used where it lies (flash) without a copy on the heap.
 */
static int start_engine(size_t heap_limit, const uint8_t *code, size_t size, JSValue *program) {
  pg_heap_reset();
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
 * Gives back what is needed once: create with the texts that it placed, the largest function there is. Then
 * the API itself; with it go the functions that nothing here calls.
 */
static int drop_boot_code(JSValue global, JSValue *api) {
  JSContext *context = core.context;
  if (JS_SetPropertyStr(context, *api, "create", JS_UNDEFINED) < 0) return 0;
  pg_heap_note_core(pg_heap_figures().used - pg_heap_figures().engine);
  if (JS_SetPropertyStr(context, global, "picogrant", JS_UNDEFINED) < 0) return 0;
  JS_FreeValue(context, *api);
  *api = JS_UNDEFINED;
  JS_RunGC(core.runtime);
  return 1;
}

static enum pg_open_result open_device(JSValue program, uint8_t *memory, size_t size,
                                       const struct pg_core_config *config) {
  JSContext *context = core.context;
  if (!run_program(program)) return PG_OPEN_BAD_CODE;
  JSValue global = JS_GetGlobalObject(context);
  JSValue api = JS_GetPropertyStr(context, global, "picogrant");
  enum pg_open_result result = PG_OPEN_BAD_CODE;
  if (JS_IsObject(api)) {
    core.device = make_device(api, memory, size, config);
    if (JS_IsNull(core.device)) result = PG_OPEN_SMALL_MEMORY;
    else if (JS_IsObject(core.device) && take_handles(api) && drop_boot_code(global, &api)) {
      result = PG_OPEN_OK;
    }
  }
  JS_FreeValue(context, api);
  JS_FreeValue(context, global);
  return result;
}

enum pg_open_result pg_core_open(const uint8_t *code, size_t code_size, uint8_t *memory, size_t size,
                                 const struct pg_core_config *config, size_t heap_limit) {
  JSValue program = JS_UNDEFINED;
  forget_handles();
  if (!start_engine(heap_limit, code, code_size, &program)) {
    if (core.context) JS_FreeValue(core.context, program);
    pg_core_close();
    return PG_OPEN_NO_HEAP;
  }
  enum pg_open_result result = open_device(program, memory, size, config);
  /* An engine that ran out of heap throws, as it does for code that is not the core's. */
  if (result == PG_OPEN_BAD_CODE && pg_heap_figures().refused) result = PG_OPEN_NO_HEAP;
  if (result != PG_OPEN_OK) pg_core_close();
  return result;
}

void pg_core_close(void) {
  JSContext *context = core.context;
  if (context) {
    for (int i = 0; i < FUNCTION_COUNT; i++) JS_FreeValue(context, core.functions[i]);
    for (int i = 0; i < PG_PROPERTY_COUNT; i++) JS_FreeAtom(context, core.properties[i]);
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

int pg_core_broken(void) { return core.broken; }

/* The integer that a value is; anything else, an exception too, means that the engine is broken. */
static int integer_of(JSValue value) {
  if (JS_VALUE_GET_TAG(value) == JS_TAG_INT) return JS_VALUE_GET_INT(value);
  if (JS_IsException(value)) core.broken = 1;
  JS_FreeValue(core.context, value);
  return 0;
}

static int call(enum function function, int count, JSValue *arguments) {
  arguments[0] = core.device;
  return integer_of(
      JS_Call(core.context, core.functions[function], JS_UNDEFINED, count, arguments));
}

static int call_1(enum function function, int a) {
  JSValue arguments[2] = {JS_UNDEFINED, JS_NewInt32(core.context, a)};
  return call(function, 2, arguments);
}

static int call_0(enum function function) {
  JSValue arguments[1];
  return call(function, 1, arguments);
}

/* Copies as much as the transfer array takes. */
static int transfer(const void *bytes, size_t size) {
  if (size > sizeof transfer_bytes) size = sizeof transfer_bytes;
  memcpy(transfer_bytes, bytes, size);
  return (int)size;
}

int pg_tick(int elapsed_ms) { return call_1(TICK, elapsed_ms); }

int pg_wake_in(void) { return call_0(WAKE_IN); }

int pg_response_start(int request_id, int status, int retry_after_s) {
  JSContext *context = core.context;
  JSValue arguments[4] = {JS_UNDEFINED, JS_NewInt32(context, request_id),
                          JS_NewInt32(context, status), JS_NewInt32(context, retry_after_s)};
  return call(RESPONSE_START, 4, arguments);
}

void pg_response_body(int request_id, const uint8_t *bytes, size_t size) {
  JSContext *context = core.context;
  while (size > 0) {
    int taken = transfer(bytes, size);
    JSValue arguments[5] = {JS_UNDEFINED, JS_NewInt32(context, request_id), core.transfer,
                            JS_NewInt32(context, 0), JS_NewInt32(context, taken)};
    call(RESPONSE_BODY, 5, arguments);
    bytes += taken;
    size -= (size_t)taken;
  }
  /* Answers carry tokens. */
  pg_wipe(transfer_bytes, sizeof transfer_bytes);
}

void pg_response_end(int request_id) { call_1(RESPONSE_END, request_id); }

void pg_response_failed(int request_id) { call_1(RESPONSE_FAILED, request_id); }

void pg_storage_done(int result) { call_1(STORAGE_DONE, result); }

void pg_sign_in(void) { call_0(SIGN_IN); }

void pg_cancel(void) { call_0(CANCEL); }

void pg_sign_out(void) { call_0(SIGN_OUT); }

static int call_with_text(enum function function, const char *text) {
  JSContext *context = core.context;
  JSValue arguments[4] = {JS_UNDEFINED, core.transfer, JS_NewInt32(context, 0),
                          JS_NewInt32(context, transfer(text, strlen(text)))};
  return call(function, 4, arguments);
}

void pg_set_status(const char *text) { call_with_text(SET_STATUS, text); }

int pg_call_resource(int endpoint, const char *target) {
  JSContext *context = core.context;
  if (!JS_IsFunction(context, core.functions[SEND_CALL])) return 0;
  if (strlen(target) > sizeof transfer_bytes || !call_0(BEGIN_CALL)) return 0;
  call_with_text(ADD_PATH, target);
  JSValue zero = JS_NewInt32(context, 0);
  JSValue arguments[6] = {JS_UNDEFINED,
                          JS_NewInt32(context, endpoint),
                          JS_NewInt32(context, 1),
                          JS_NULL,
                          zero,
                          zero};
  return call(SEND_CALL, 6, arguments);
}

int pg_get(enum pg_property property) {
  return integer_of(JS_GetProperty(core.context, core.device, core.properties[property]));
}

int pg_start(int region) {
  return integer_of(JS_GetPropertyUint32(core.context, core.start, (uint32_t)region));
}

int pg_length(int region) {
  return integer_of(JS_GetPropertyUint32(core.context, core.length, (uint32_t)region));
}
