/* The control on QuickJS. */
#include <quickjs.h>
#include <stdio.h>

#include "control.h"
#include "heap.h"

static void *take(JSMallocState *state, size_t size) {
  return pg_heap_take(state->opaque, size);
}

static void give(JSMallocState *state, void *block) {
  pg_heap_give(state->opaque, block);
}

static void *resize(JSMallocState *state, void *block, size_t size) {
  return pg_heap_resize(state->opaque, block, size);
}

void control(void) {
  struct pg_heap heap = {0};
  static const JSMallocFunctions functions = {take, give, resize, pg_heap_size};
  JSRuntime *runtime = JS_NewRuntime2(&functions, &heap);
  JSContext *context = JS_NewContextRaw(runtime);
  unsigned long calls = heap.calls;
  JSValue object = JS_NewObject(context);
  printf("control-object %lu\n", heap.calls - calls);
  calls = heap.calls;
  JS_FreeValue(context, JS_GetPropertyStr(context, object, "a name that no one has used"));
  printf("control-name %lu\n", heap.calls - calls);
  JS_FreeValue(context, object);
  JS_FreeContext(context);
  JS_FreeRuntime(runtime);
}
