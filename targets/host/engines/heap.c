/* The engine's heap. Contract in heap.h. */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wipe.h"

static struct pg_heap_figures figures;

static size_t size_of(void *block) { return malloc_usable_size(block); }

size_t pg_heap_size(const void *block) { return size_of((void *)(uintptr_t)block); }

static int fits(size_t more) {
  if (!figures.limit) return 1;
  return more <= figures.limit && figures.used <= figures.limit - more;
}

static void *refuse(void) {
  figures.refused++;
  return NULL;
}

static void note(void) {
  if (figures.used > figures.peak) figures.peak = figures.used;
}

void *pg_heap_take(size_t size) {
  figures.calls++;
  if (!fits(size)) return refuse();
  void *block = malloc(size);
  if (!block) return refuse();
  figures.blocks++;
  figures.used += size_of(block) + PG_HEAP_OVERHEAD;
  note();
  return block;
}

void pg_heap_give(void *block) {
  if (!block) return;
  size_t size = size_of(block);
  figures.blocks--;
  figures.used -= size + PG_HEAP_OVERHEAD;
  /* It may have been a text of the configuration: the client's secret. */
  pg_wipe(block, size);
  free(block);
}

void *pg_heap_resize(void *block, size_t size) {
  if (!block) return pg_heap_take(size);
  size_t before = size_of(block);
  figures.calls++;
  if (size > before && !fits(size - before)) return refuse();
  /* Not realloc, which gives the block before back as it is. */
  void *moved = malloc(size);
  if (!moved) return refuse();
  memcpy(moved, block, size < before ? size : before);
  figures.used = figures.used - before + size_of(moved);
  note();
  pg_wipe(block, before);
  free(block);
  return moved;
}

void pg_heap_limit(size_t bytes) { figures.limit = bytes; }

struct pg_heap_figures pg_heap_figures(void) { return figures; }

void pg_heap_note_engine(size_t bytes) { figures.engine = bytes; }

void pg_heap_note_core(size_t bytes) { figures.core = bytes; }

void pg_heap_reset(void) { figures = (struct pg_heap_figures){0}; }
