// A minimal host of the MuJS library. The script gets `print`, and `counter`, whose element 0 is the number of the
// engine's allocations and reallocations so far. MuJS has no typed arrays.

#include <mujs.h>
#include <stdio.h>
#include <stdlib.h>

static int counter;

static void *count_alloc(void *user, void *block, int size) {
  (void)user;
  if (size == 0) {
    free(block);
    return NULL;
  }
  counter++;
  return realloc(block, (size_t)size);
}

static void print(js_State *state) {
  puts(js_tostring(state, 1));
  js_pushundefined(state);
}

static void read_counter(js_State *state) { js_pushnumber(state, counter); }

static void define_globals(js_State *state) {
  js_newcfunction(state, print, "print", 1);
  js_setglobal(state, "print");
  js_newobject(state);
  js_newcfunction(state, read_counter, "read", 0);
  js_pushnull(state);
  js_defaccessor(state, -3, "0", JS_READONLY);
  js_setglobal(state, "counter");
}

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("usage: mujs-host SCRIPT\n", stderr);
    return 2;
  }
  js_State *state = js_newstate(count_alloc, NULL, 0);
  define_globals(state);
  int failed = js_dofile(state, arguments[1]);
  js_freestate(state);
  return failed;
}
