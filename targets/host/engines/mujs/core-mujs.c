/*
 * The core on MuJS, as source. MuJS has no typed arrays: an object of the host's stands for the memory, whose
 * elements are its bytes. What the calls need lies in the engine's registry, under names that exist.
 */
#include <mujs.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

struct bytes {
  uint8_t *at;
  size_t size;
};

/* Most of it is the parser's. */
const size_t pg_heap_default = 2359296;

/* What hangs on `core->engine`: of the device's own heap. */
struct handles {
  js_State *state;
  struct bytes memory;
  struct bytes transfer;
};

static js_State *state_of(struct pg_core *core) {
  const struct handles *handles = core->engine;
  return handles->state;
}

/* `user`: the device's heap. */
static void *allocate(void *user, void *block, int size) {
  if (size > 0) return pg_heap_resize(user, block, (size_t)size);
  pg_heap_give(user, block);
  return NULL;
}

/* What is asked for outside a protected call cannot be answered: the program ends, and is started anew. */
static void panic(js_State *state) {
  (void)state;
  abort();
}

/* The place that a property's name tells; -1 where it is no element. */
static long place_of(const struct bytes *bytes, const char *name) {
  char *end = NULL;
  if (*name < '0' || *name > '9') return -1;
  long at = strtol(name, &end, 10);
  return !*end && (size_t)at < bytes->size ? at : -1;
}

static int get_byte(js_State *state, void *data, const char *name) {
  const struct bytes *bytes = data;
  long at = place_of(bytes, name);
  if (at >= 0) js_pushnumber(state, bytes->at[at]);
  else if (strcmp(name, "length") == 0) js_pushnumber(state, (double)bytes->size);
  else return 0;
  return 1;
}

static int put_byte(js_State *state, void *data, const char *name) {
  const struct bytes *bytes = data;
  long at = place_of(bytes, name);
  if (at < 0) return 0;
  bytes->at[at] = (uint8_t)js_toint32(state, -1);
  return 1;
}

static void push_array(js_State *engine, struct bytes *bytes) {
  js_getglobal(engine, "Object");
  js_getproperty(engine, -1, "prototype");
  js_remove(engine, -2);
  js_newuserdatax(engine, "bytes", bytes, get_byte, put_byte, NULL, NULL);
}

static void push_config(js_State *engine, const struct pg_core_config *config) {
  struct pg_config_member members[PG_CONFIG_MEMBERS];
  pg_config_members(config, members);
  js_newobject(engine);
  for (int i = 0; i < PG_CONFIG_MEMBERS; i++) {
    if (members[i].text) js_pushstring(engine, members[i].text);
    else js_pushnumber(engine, members[i].number);
    js_setproperty(engine, -2, members[i].name);
  }
}

/* Takes what the calls need out of the API and the device, which are on the top. */
static int take_handles(js_State *engine, struct handles *handles) {
  for (int i = 0; i < PG_FUNCTION_COUNT; i++) {
    js_getproperty(engine, -2, pg_function_names[i]);
    if (i < PG_FUNCTION_BEGIN_CALL && !js_iscallable(engine, -1)) return 0;
    js_setregistry(engine, pg_function_names[i]);
  }
  js_getindex(engine, -1, PG_START);
  js_setregistry(engine, "start");
  js_getindex(engine, -1, PG_LENGTH);
  js_setregistry(engine, "length");
  push_array(engine, &handles->transfer);
  js_setregistry(engine, "transfer");
  js_setregistry(engine, "device");
  return 1;
}

static enum pg_open_result open_device(struct pg_core *core, const char *code,
                                       const struct pg_core_config *config) {
  struct handles *handles = core->engine;
  struct pg_heap *heap = &core->heap;
  js_State *engine = handles->state;
  js_loadstring(engine, "core", code);
  js_pushundefined(engine);
  js_call(engine, 0);
  js_pop(engine, 1);
  js_getglobal(engine, "picogrant");
  if (!js_isobject(engine, -1)) return PG_OPEN_BAD_CODE;
  js_getproperty(engine, -1, "create");
  js_pushundefined(engine);
  push_array(engine, &handles->memory);
  push_config(engine, config);
  js_call(engine, 2);
  if (js_isnull(engine, -1)) return PG_OPEN_SMALL_MEMORY;
  if (!js_isobject(engine, -1) || !take_handles(engine, handles)) return PG_OPEN_BAD_CODE;
  /* What is needed once is given back: `create`, and the functions that nothing here calls. */
  js_pop(engine, 1);
  js_pushundefined(engine);
  js_setglobal(engine, "picogrant");
  heap->core = heap->used - heap->engine;
  js_gc(engine, 0);
  return PG_OPEN_OK;
}

/* A function of its own, since what throws comes back by longjmp. */
static enum pg_open_result open_protected(struct pg_core *core, const char *code,
                                          const struct pg_core_config *config) {
  if (js_try(state_of(core))) return PG_OPEN_BAD_CODE;
  enum pg_open_result result = open_device(core, code, config);
  js_endtry(state_of(core));
  return result;
}

enum pg_open_result pg_engine_open(struct pg_core *core, const uint8_t *code, size_t code_size,
                                   uint8_t *memory, size_t size, const struct pg_core_config *config,
                                   size_t heap_limit) {
  struct pg_heap *heap = &core->heap;
  /* The parser wants a 0 behind the code. */
  if (code_size == 0 || code[code_size - 1] != 0) return PG_OPEN_BAD_CODE;
  heap->limit = heap_limit;
  struct handles *handles = pg_heap_take(heap, sizeof *handles);
  core->engine = handles;
  if (!handles) return PG_OPEN_NO_HEAP;
  handles->memory = (struct bytes){memory, size};
  handles->transfer = (struct bytes){core->transfer, sizeof core->transfer};
  handles->state = js_newstate(allocate, heap, 0);
  if (!handles->state) return PG_OPEN_NO_HEAP;
  js_atpanic(handles->state, panic);
  heap->engine = heap->used;
  return open_protected(core, (const char *)code, config);
}

void pg_engine_close(struct pg_core *core) {
  if (state_of(core)) js_freestate(state_of(core));
  pg_heap_give(&core->heap, core->engine);
}

static void push_argument(js_State *engine, int value) {
  if (value == PG_ARGUMENT_TRANSFER) js_getregistry(engine, "transfer");
  else if (value == PG_ARGUMENT_NULL) js_pushnull(engine);
  else js_pushnumber(engine, value);
}

static int pop_integer(js_State *engine) {
  int value = js_isnumber(engine, -1) ? (int)js_tonumber(engine, -1) : 0;
  js_pop(engine, 1);
  return value;
}

int pg_engine_call(struct pg_core *core, enum pg_function function, int count,
                   const int *arguments) {
  js_State *engine = state_of(core);
  js_getregistry(engine, pg_function_names[function]);
  js_pushundefined(engine);
  js_getregistry(engine, "device");
  for (int i = 0; i < count; i++) push_argument(engine, arguments[i]);
  if (js_pcall(engine, 1 + count)) core->threw = 1;
  return pop_integer(engine);
}

int pg_engine_has(struct pg_core *core, enum pg_function function) {
  js_State *engine = state_of(core);
  js_getregistry(engine, pg_function_names[function]);
  int has = js_iscallable(engine, -1);
  js_pop(engine, 1);
  return has;
}

static int element(struct pg_core *core, const char *array, int index) {
  js_State *engine = state_of(core);
  js_getregistry(engine, array);
  js_getindex(engine, -1, index);
  int value = pop_integer(engine);
  js_pop(engine, 1);
  return value;
}

int pg_engine_property(struct pg_core *core, enum pg_property property) {
  return element(core, "device", (int)property);
}

int pg_engine_start(struct pg_core *core, int region) { return element(core, "start", region); }

int pg_engine_length(struct pg_core *core, int region) { return element(core, "length", region); }
