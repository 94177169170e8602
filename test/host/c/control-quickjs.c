/* A firmware's engine and the control on QuickJS. */
#include <quickjs.h>
#include <stdio.h>

#include "control.h"

static void *take(JSMallocState *state, size_t size) {
  return pg_heap_take(state->opaque, size);
}

static void give(JSMallocState *state, void *block) {
  pg_heap_give(state->opaque, block);
}

static void *resize(JSMallocState *state, void *block, size_t size) {
  return pg_heap_resize(state->opaque, block, size);
}

void *firmware_engine(struct pg_heap *heap) {
  static const JSMallocFunctions functions = {take, give, resize, pg_heap_size};
  return JS_NewContext(JS_NewRuntime2(&functions, heap));
}

void control(void *engine, struct pg_heap *heap) {
  unsigned long calls = heap->calls;
  JSValue object = JS_NewObject(engine);
  printf("control-object %lu\n", heap->calls - calls);
  calls = heap->calls;
  JS_FreeValue(engine, JS_GetPropertyStr(engine, object, "a name that no one has used"));
  printf("control-name %lu\n", heap->calls - calls);
  JS_FreeValue(engine, object);
}

void end_firmware_engine(void *engine) {
  JSRuntime *runtime = JS_GetRuntime(engine);
  JS_FreeContext(engine);
  JS_FreeRuntime(runtime);
}
