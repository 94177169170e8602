/* A firmware's engine and the control on Duktape. */
#include <duktape.h>
#include <stdio.h>

#include "control.h"

static void *take(void *heap, duk_size_t size) { return pg_heap_take(heap, size); }

static void give(void *heap, void *block) { pg_heap_give(heap, block); }

static void *resize(void *heap, void *block, duk_size_t size) {
  return pg_heap_resize(heap, block, size);
}

void *firmware_engine(struct pg_heap *heap) {
  return duk_create_heap(take, resize, give, heap, NULL);
}

void control(void *engine, struct pg_heap *heap) {
  unsigned long calls = heap->calls;
  duk_push_object(engine);
  printf("control-object %lu\n", heap->calls - calls);
  calls = heap->calls;
  duk_get_prop_string(engine, -1, "a name that no one has used");
  printf("control-name %lu\n", heap->calls - calls);
  duk_pop_2(engine);
}

void end_firmware_engine(void *engine) { duk_destroy_heap(engine); }
