/* The control on QuickJS. */
#include <quickjs.h>
#include <stdio.h>

#include "control.h"
#include "heap.h"

static void *take(JSMallocState *state, size_t size) {
  (void)state;
  return pg_heap_take(size);
}

static void give(JSMallocState *state, void *block) {
  (void)state;
  pg_heap_give(block);
}

static void *resize(JSMallocState *state, void *block, size_t size) {
  (void)state;
  return pg_heap_resize(block, size);
}

void control(void) {
  static const JSMallocFunctions functions = {take, give, resize, pg_heap_size};
  JSRuntime *runtime = JS_NewRuntime2(&functions, NULL);
  JSContext *context = JS_NewContextRaw(runtime);
  unsigned long calls = pg_heap_figures().calls;
  JSValue object = JS_NewObject(context);
  printf("control-object %lu\n", pg_heap_figures().calls - calls);
  calls = pg_heap_figures().calls;
  JS_FreeValue(context, JS_GetPropertyStr(context, object, "a name that no one has used"));
  printf("control-name %lu\n", pg_heap_figures().calls - calls);
  JS_FreeValue(context, object);
  JS_FreeContext(context);
  JS_FreeRuntime(runtime);
}
