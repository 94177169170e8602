// A minimal host of the Duktape library. The script gets `print`, and `counter`, an Int32Array whose element 0 counts
// the engine's allocations and reallocations.

#include <duktape.h>
#include <stdio.h>
#include <stdlib.h>

static int counter[1];

static void *count_alloc(void *user, duk_size_t size) {
  (void)user;
  if (!size) return NULL;
  counter[0]++;
  return malloc(size);
}

static void *count_realloc(void *user, void *block, duk_size_t size) {
  (void)user;
  if (size) {
    counter[0]++;
    return realloc(block, size);
  }
  free(block);
  return NULL;
}

static void count_free(void *user, void *block) {
  (void)user;
  free(block);
}

static duk_ret_t print(duk_context *context) {
  puts(duk_to_string(context, 0));
  return 0;
}

static void define_globals(duk_context *context) {
  duk_push_c_function(context, print, 1);
  duk_put_global_string(context, "print");
  duk_push_external_buffer(context);
  duk_config_buffer(context, -1, counter, sizeof counter);
  duk_push_buffer_object(context, -1, 0, sizeof counter, DUK_BUFOBJ_INT32ARRAY);
  duk_put_global_string(context, "counter");
  duk_pop(context);
}

static void push_file(duk_context *context, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char *text = malloc((size_t)length);
  duk_push_lstring(context, text, fread(text, 1, (size_t)length, file));
  free(text);
  fclose(file);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("usage: duktape-host SCRIPT\n", stderr);
    return 2;
  }
  duk_context *context = duk_create_heap(count_alloc, count_realloc, count_free, NULL, NULL);
  define_globals(context);
  push_file(context, arguments[1]);
  int failed = duk_peval(context) != 0;
  if (failed) fprintf(stderr, "%s\n", duk_safe_to_string(context, -1));
  duk_destroy_heap(context);
  return failed;
}
