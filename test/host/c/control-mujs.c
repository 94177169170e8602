/* The control on MuJS, which looks names up without a copy: here the name is set. */
#include <mujs.h>
#include <stdio.h>

#include "control.h"
#include "heap.h"

static void *allocate(void *user, void *block, int size) {
  if (size > 0) return pg_heap_resize(user, block, (size_t)size);
  pg_heap_give(user, block);
  return NULL;
}

void control(void) {
  struct pg_heap heap = {0};
  js_State *engine = js_newstate(allocate, &heap, 0);
  unsigned long calls = heap.calls;
  js_newobject(engine);
  printf("control-object %lu\n", heap.calls - calls);
  calls = heap.calls;
  js_pushnumber(engine, 1);
  js_setproperty(engine, -2, "a name that no one has used");
  printf("control-name %lu\n", heap.calls - calls);
  js_freestate(engine);
}
