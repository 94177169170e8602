// The smallest host of the MuJS library: `print`, `collect` and `counter`: element 0 is the number
// of allocations and reallocations that the engine asked its host for so far, element 1 the bytes that it holds,
// element 2 their most since `resetPeak()`, what the collector had not yet found included. Runs the scripts that it is
// given, one after the other. MuJS has no typed arrays.

#include <malloc.h>
#include <mujs.h>
#include <stdio.h>
#include <stdlib.h>

static int counter;
static int held;
static int peak;

static void *count_alloc(void *user, void *block, int size) {
  (void)user;
  int before = block ? (int)malloc_usable_size(block) : 0;
  if (size == 0) {
    held -= before;
    free(block);
    return NULL;
  }
  counter++;
  void *moved = realloc(block, (size_t)size);
  if (moved) held += (int)malloc_usable_size(moved) - before;
  if (peak < held) peak = held;
  return moved;
}

static void print(js_State *state) {
  puts(js_tostring(state, 1));
  js_pushundefined(state);
}

static void read_counter(js_State *state) { js_pushnumber(state, counter); }

static void read_held(js_State *state) { js_pushnumber(state, held); }

static void read_peak(js_State *state) { js_pushnumber(state, peak); }

static void reset_peak(js_State *state) {
  peak = held;
  js_pushundefined(state);
}

static void collect(js_State *state) {
  js_gc(state, 0);
  js_pushundefined(state);
}

static void define_globals(js_State *state) {
  js_newcfunction(state, print, "print", 1);
  js_setglobal(state, "print");
  js_newcfunction(state, collect, "collect", 0);
  js_setglobal(state, "collect");
  js_newcfunction(state, reset_peak, "resetPeak", 0);
  js_setglobal(state, "resetPeak");
  js_newobject(state);
  js_newcfunction(state, read_counter, "read", 0);
  js_pushnull(state);
  js_defaccessor(state, -3, "0", JS_READONLY);
  js_newcfunction(state, read_held, "readHeld", 0);
  js_pushnull(state);
  js_defaccessor(state, -3, "1", JS_READONLY);
  js_newcfunction(state, read_peak, "readPeak", 0);
  js_pushnull(state);
  js_defaccessor(state, -3, "2", JS_READONLY);
  js_setglobal(state, "counter");
}

int main(int count, char **arguments) {
  if (count < 2) {
    fputs("usage: mujs-host SCRIPT...\n", stderr);
    return 2;
  }
  js_State *state = js_newstate(count_alloc, NULL, 0);
  define_globals(state);
  int failed = 0;
  for (int i = 1; i < count && !failed; i++) failed = js_dofile(state, arguments[i]);
  js_freestate(state);
  return failed;
}
