/* The control on MuJS, which looks names up without a copy: here the name is set. */
#include <mujs.h>
#include <stdio.h>

#include "control.h"
#include "heap.h"

static void *allocate(void *user, void *block, int size) {
  (void)user;
  if (size > 0) return pg_heap_resize(block, (size_t)size);
  pg_heap_give(block);
  return NULL;
}

void control(void) {
  js_State *engine = js_newstate(allocate, NULL, 0);
  unsigned long calls = pg_heap_figures().calls;
  js_newobject(engine);
  printf("control-object %lu\n", pg_heap_figures().calls - calls);
  calls = pg_heap_figures().calls;
  js_pushnumber(engine, 1);
  js_setproperty(engine, -2, "a name that no one has used");
  printf("control-name %lu\n", pg_heap_figures().calls - calls);
  js_freestate(engine);
}
