/* The control on Duktape. */
#include <duktape.h>
#include <stdio.h>

#include "control.h"
#include "heap.h"

static void *take(void *user, duk_size_t size) {
  (void)user;
  return size ? pg_heap_take(size) : NULL;
}

static void give(void *user, void *block) {
  (void)user;
  pg_heap_give(block);
}

static void *resize(void *user, void *block, duk_size_t size) {
  (void)user;
  if (size) return pg_heap_resize(block, size);
  pg_heap_give(block);
  return NULL;
}

void control(void) {
  duk_context *engine = duk_create_heap(take, resize, give, NULL, NULL);
  unsigned long calls = pg_heap_figures().calls;
  duk_push_object(engine);
  printf("control-object %lu\n", pg_heap_figures().calls - calls);
  calls = pg_heap_figures().calls;
  duk_get_prop_string(engine, -1, "a name that no one has used");
  printf("control-name %lu\n", pg_heap_figures().calls - calls);
  duk_destroy_heap(engine);
}
