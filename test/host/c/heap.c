/*
 * The engine's heap gives nothing back that was written: a block that grows, shrinks or goes is overwritten first.
 * `free` is watched; `realloc` would give blocks back by itself.
 */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK = 0xA5, SIZE_MAX_HERE = 5000 };

static int unwiped;

void __real_free(void *block);
void __wrap_free(void *block);
void *__wrap_realloc(void *block, size_t size);

void __wrap_free(void *block) {
  size_t size = block ? malloc_usable_size(block) : 0;
  for (size_t i = 0; i < size; i++) {
    if (((uint8_t *)block)[i] == MARK) unwiped = 1;
  }
  __real_free(block);
}

void *__wrap_realloc(void *block, size_t size) {
  (void)block, (void)size;
  unwiped = 1;
  return NULL;
}

int main(void) {
  struct pg_heap heap = {0};
  for (size_t from = 1; from < SIZE_MAX_HERE; from = from * 3 + 1) {
    for (size_t to = 1; to < SIZE_MAX_HERE; to = to * 2 + 1) {
      uint8_t *block = pg_heap_take(&heap, from);
      if (!block) return 2;
      memset(block, MARK, from);
      block = pg_heap_resize(&heap, block, to);
      if (!block) return 2;
      for (size_t i = 0; i < from && i < to; i++) {
        if (block[i] != MARK) return 3;
      }
      pg_heap_give(&heap, block);
    }
  }
  return unwiped || heap.blocks != 0 || heap.used != 0;
}
