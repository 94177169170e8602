/* The control on Duktape. */
#include <duktape.h>
#include <stdio.h>

#include "control.h"
#include "heap.h"

static void *take(void *user, duk_size_t size) {
  return size ? pg_heap_take(user, size) : NULL;
}

static void give(void *user, void *block) {
  pg_heap_give(user, block);
}

static void *resize(void *user, void *block, duk_size_t size) {
  if (size) return pg_heap_resize(user, block, size);
  pg_heap_give(user, block);
  return NULL;
}

void control(void) {
  struct pg_heap heap = {0};
  duk_context *engine = duk_create_heap(take, resize, give, &heap, NULL);
  unsigned long calls = heap.calls;
  duk_push_object(engine);
  printf("control-object %lu\n", heap.calls - calls);
  calls = heap.calls;
  duk_get_prop_string(engine, -1, "a name that no one has used");
  printf("control-name %lu\n", heap.calls - calls);
  duk_destroy_heap(engine);
}
