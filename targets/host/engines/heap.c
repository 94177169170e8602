#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "picogrant-port.h"

static size_t size_of(void *block) { return malloc_usable_size(block); }

size_t pg_heap_size(const void *block) { return size_of((void *)(uintptr_t)block); }

static int fits(const struct pg_heap *heap, size_t more) {
  if (!heap->limit) return 1;
  return more <= heap->limit && heap->used <= heap->limit - more;
}

static void *refuse(struct pg_heap *heap) {
  heap->refused++;
  return NULL;
}

static void note(struct pg_heap *heap) {
  if (heap->used > heap->peak) heap->peak = heap->used;
}

void *pg_heap_take(struct pg_heap *heap, size_t size) {
  if (!size) return NULL;
  heap->calls++;
  if (!fits(heap, size)) return refuse(heap);
  void *block = malloc(size);
  if (!block) return refuse(heap);
  heap->blocks++;
  heap->used += size_of(block) + PG_HEAP_OVERHEAD;
  note(heap);
  return block;
}

void pg_heap_give(struct pg_heap *heap, void *block) {
  if (!block) return;
  size_t size = size_of(block);
  heap->blocks--;
  heap->used -= size + PG_HEAP_OVERHEAD;
  /* The block may contain the client's secret, which is a text of the configuration. */
  pg_wipe(block, size);
  free(block);
}

void *pg_heap_resize(struct pg_heap *heap, void *block, size_t size) {
  if (!block) return pg_heap_take(heap, size);
  if (!size) {
    pg_heap_give(heap, block);
    return NULL;
  }
  size_t before = size_of(block);
  heap->calls++;
  if (size > before && !fits(heap, size - before)) return refuse(heap);
  /* realloc would free the old block without wiping it. */
  void *moved = malloc(size);
  if (!moved) return refuse(heap);
  memcpy(moved, block, size < before ? size : before);
  heap->used = heap->used - before + size_of(moved);
  note(heap);
  pg_wipe(block, before);
  free(block);
  return moved;
}
