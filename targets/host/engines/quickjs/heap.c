/* The engine's heap. Contract in heap.h. */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

/* As quickjs.c has it, so that the figures are those of the engine's own accounting. */
enum { OVERHEAD = 8 };

static struct pg_heap_figures figures;

static size_t size_of(const void *block) {
  return malloc_usable_size((void *)(uintptr_t)block);
}

static void note(JSMallocState *state) {
  figures.used = state->malloc_size;
  figures.blocks = state->malloc_count;
  figures.limit = state->malloc_limit;
  if (figures.used > figures.peak) figures.peak = figures.used;
}

static int fits(const JSMallocState *state, size_t more) {
  if (more <= state->malloc_limit && state->malloc_size <= state->malloc_limit - more) return 1;
  figures.refused++;
  return 0;
}

static void *heap_malloc(JSMallocState *state, size_t size) {
  figures.calls++;
  if (!fits(state, size)) return NULL;
  void *block = malloc(size);
  if (!block) return NULL;
  state->malloc_count++;
  state->malloc_size += size_of(block) + OVERHEAD;
  note(state);
  return block;
}

static void heap_free(JSMallocState *state, void *block) {
  if (!block) return;
  state->malloc_count--;
  state->malloc_size -= size_of(block) + OVERHEAD;
  note(state);
  free(block);
}

static void *heap_realloc(JSMallocState *state, void *block, size_t size) {
  if (!block) return size ? heap_malloc(state, size) : NULL;
  if (!size) {
    heap_free(state, block);
    return NULL;
  }
  size_t before = size_of(block);
  figures.calls++;
  if (size > before && !fits(state, size - before)) return NULL;
  void *moved = realloc(block, size);
  if (!moved) return NULL;
  state->malloc_size += size_of(moved) - before;
  note(state);
  return moved;
}

const JSMallocFunctions pg_heap_functions = {heap_malloc, heap_free, heap_realloc, size_of};

struct pg_heap_figures pg_heap_figures(void) { return figures; }

void pg_heap_note_engine(size_t bytes) { figures.engine = bytes; }

void pg_heap_note_core(size_t bytes) { figures.core = bytes; }

void pg_heap_reset(void) { figures = (struct pg_heap_figures){0}; }
