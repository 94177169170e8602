/*
 * The core on MuJS, as source. MuJS has no typed arrays: an object of the host's stands for the memory, whose
 * elements are its bytes. What the calls need lies in the engine's registry, under names that exist.
 */
#include <mujs.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "heap.h"

struct bytes {
  uint8_t *at;
  size_t size;
};

/* Most of it is the parser's. */
const size_t pg_heap_default = 2359296;

static js_State *engine;
static struct bytes memory_bytes;
static struct bytes transfer;

static void *allocate(void *user, void *block, int size) {
  (void)user;
  if (size > 0) return pg_heap_resize(block, (size_t)size);
  pg_heap_give(block);
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

static void push_array(struct bytes *bytes) {
  js_getglobal(engine, "Object");
  js_getproperty(engine, -1, "prototype");
  js_remove(engine, -2);
  js_newuserdatax(engine, "bytes", bytes, get_byte, put_byte, NULL, NULL);
}

static void push_config(const struct pg_core_config *config) {
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
static int take_handles(void) {
  for (int i = 0; i < PG_FUNCTION_COUNT; i++) {
    js_getproperty(engine, -2, pg_function_names[i]);
    if (i < PG_FUNCTION_BEGIN_CALL && !js_iscallable(engine, -1)) return 0;
    js_setregistry(engine, pg_function_names[i]);
  }
  js_getindex(engine, -1, PG_START);
  js_setregistry(engine, "start");
  js_getindex(engine, -1, PG_LENGTH);
  js_setregistry(engine, "length");
  push_array(&transfer);
  js_setregistry(engine, "transfer");
  js_setregistry(engine, "device");
  return 1;
}

static enum pg_open_result open_device(const char *code, const struct pg_core_config *config) {
  js_loadstring(engine, "core", code);
  js_pushundefined(engine);
  js_call(engine, 0);
  js_pop(engine, 1);
  js_getglobal(engine, "picogrant");
  if (!js_isobject(engine, -1)) return PG_OPEN_BAD_CODE;
  js_getproperty(engine, -1, "create");
  js_pushundefined(engine);
  push_array(&memory_bytes);
  push_config(config);
  js_call(engine, 2);
  if (js_isnull(engine, -1)) return PG_OPEN_SMALL_MEMORY;
  if (!js_isobject(engine, -1) || !take_handles()) return PG_OPEN_BAD_CODE;
  /* What is needed once is given back: `create`, and the functions that nothing here calls. */
  js_pop(engine, 1);
  js_pushundefined(engine);
  js_setglobal(engine, "picogrant");
  pg_heap_note_core(pg_heap_figures().used - pg_heap_figures().engine);
  js_gc(engine, 0);
  return PG_OPEN_OK;
}

/* A function of its own, since what throws comes back by longjmp. */
static enum pg_open_result open_protected(const char *code, const struct pg_core_config *config) {
  if (js_try(engine)) return PG_OPEN_BAD_CODE;
  enum pg_open_result result = open_device(code, config);
  js_endtry(engine);
  return result;
}

enum pg_open_result pg_engine_open(const uint8_t *code, size_t code_size, uint8_t *memory, size_t size,
                                   const struct pg_core_config *config, size_t heap_limit) {
  /* The parser wants a 0 behind the code. */
  if (code_size == 0 || code[code_size - 1] != 0) return PG_OPEN_BAD_CODE;
  memory_bytes = (struct bytes){memory, size};
  transfer = (struct bytes){pg_transfer_bytes, sizeof pg_transfer_bytes};
  pg_heap_limit(heap_limit);
  engine = js_newstate(allocate, NULL, 0);
  if (!engine) return PG_OPEN_NO_HEAP;
  js_atpanic(engine, panic);
  pg_heap_note_engine(pg_heap_figures().used);
  return open_protected((const char *)code, config);
}

void pg_engine_close(void) {
  if (engine) js_freestate(engine);
  engine = NULL;
}

static void push_argument(int value) {
  if (value == PG_ARGUMENT_TRANSFER) js_getregistry(engine, "transfer");
  else if (value == PG_ARGUMENT_NULL) js_pushnull(engine);
  else js_pushnumber(engine, value);
}

static int pop_integer(void) {
  int value = js_isnumber(engine, -1) ? (int)js_tonumber(engine, -1) : 0;
  js_pop(engine, 1);
  return value;
}

int pg_engine_call(enum pg_function function, int count, const int *arguments) {
  js_getregistry(engine, pg_function_names[function]);
  js_pushundefined(engine);
  js_getregistry(engine, "device");
  for (int i = 0; i < count; i++) push_argument(arguments[i]);
  if (js_pcall(engine, 1 + count)) pg_engine_threw = 1;
  return pop_integer();
}

int pg_engine_has(enum pg_function function) {
  js_getregistry(engine, pg_function_names[function]);
  int has = js_iscallable(engine, -1);
  js_pop(engine, 1);
  return has;
}

static int element(const char *array, int index) {
  js_getregistry(engine, array);
  js_getindex(engine, -1, index);
  int value = pop_integer();
  js_pop(engine, 1);
  return value;
}

int pg_engine_property(enum pg_property property) { return element("device", (int)property); }

int pg_engine_start(int region) { return element("start", region); }

int pg_engine_length(int region) { return element("length", region); }
