// The smallest host of the native QuickJS library: `print` and `counter`, an Int32Array whose element 0 counts every
// allocation and reallocation that the engine asks its host for. Runs the scripts that it is given, one after the other.
//
// That count is whole for QuickJS up to 2025-04-26; later versions carve small blocks out of larger
// ones by themselves. A control shows whether it counts at all (targets/workbench/budgets).

#include <malloc.h>
#include <quickjs/quickjs.h>
#include <stdio.h>
#include <stdlib.h>

static int counter[1];

static void *count_malloc(JSMallocState *state, size_t size) {
  counter[0]++;
  void *block = malloc(size);
  if (block) state->malloc_size += malloc_usable_size(block);
  return block;
}

static void count_free(JSMallocState *state, void *block) {
  if (block) state->malloc_size -= malloc_usable_size(block);
  free(block);
}

static void *count_realloc(JSMallocState *state, void *block, size_t size) {
  if (!block) return size ? count_malloc(state, size) : NULL;
  size_t before = malloc_usable_size(block);
  if (!size) {
    count_free(state, block);
    return NULL;
  }
  counter[0]++;
  block = realloc(block, size);
  if (block) state->malloc_size += malloc_usable_size(block) - before;
  return block;
}

static size_t usable_size(const void *block) { return malloc_usable_size((void *)block); }

static const JSMallocFunctions functions = {count_malloc, count_free, count_realloc, usable_size};

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  for (int i = 0; i < count; i++) {
    const char *text = JS_ToCString(context, values[i]);
    if (!text) return JS_EXCEPTION;
    fputs(text, stdout);
    JS_FreeCString(context, text);
  }
  putchar('\n');
  return JS_UNDEFINED;
}

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*length + 1);
  if (text && fread(text, 1, *length, file) != *length) *length = 0;
  if (text) text[*length] = 0;
  fclose(file);
  return text;
}

static void keep_nothing(JSRuntime *runtime, void *opaque, void *bytes) {
  (void)runtime;
  (void)opaque;
  (void)bytes;
}

static void define_globals(JSContext *context) {
  JSValue global = JS_GetGlobalObject(context);
  JSValue buffer =
      JS_NewArrayBuffer(context, (uint8_t *)counter, sizeof counter, keep_nothing, NULL, 0);
  JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, print, "print", 1));
  JSValue type = JS_GetPropertyStr(context, global, "Int32Array");
  JS_SetPropertyStr(context, global, "counter", JS_CallConstructor(context, type, 1, &buffer));
  JS_FreeValue(context, type);
  JS_FreeValue(context, buffer);
  JS_FreeValue(context, global);
}

/* 1 where the script failed. */
static int run(JSContext *context, const char *path) {
  size_t length = 0;
  char *text = read_file(path, &length);
  if (!text) {
    fprintf(stderr, "%s cannot be read\n", path);
    return 1;
  }
  JSValue result = JS_Eval(context, text, length, path, JS_EVAL_TYPE_GLOBAL);
  int failed = JS_IsException(result);
  if (failed) {
    JSValue error = JS_GetException(context);
    const char *message = JS_ToCString(context, error);
    fprintf(stderr, "%s\n", message ? message : "exception");
    JS_FreeCString(context, message);
    JS_FreeValue(context, error);
  }
  JS_FreeValue(context, result);
  free(text);
  return failed;
}

int main(int count, char **arguments) {
  if (count < 2) {
    fputs("usage: quickjs-host SCRIPT...\n", stderr);
    return 2;
  }
  JSRuntime *runtime = JS_NewRuntime2(&functions, NULL);
  JSContext *context = JS_NewContext(runtime);
  define_globals(context);
  int failed = 0;
  for (int i = 1; i < count && !failed; i++) failed = run(context, arguments[i]);
  JS_FreeContext(context);
  JS_FreeRuntime(runtime);
  return failed;
}
