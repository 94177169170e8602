/*
 * malloc for the engine, in place of the C library's. An engine's heap is two thousand small blocks, so what each
 * costs beside its bytes decides: here it is one word, and blocks are whole words, not pairs of them.
 *
 * Free blocks are in a list by address; the smallest that fits is taken, and neighbours are joined. Allocating
 * takes time with the number of free blocks, which is fine: after the start nothing is allocated at all.
 */
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

/* A block, free or not. `bytes` counts from here to the next block. */
struct block {
  size_t bytes;
  struct block *next_free; /* of a free block only: the user's bytes begin here */
};

enum { HEAD = sizeof(size_t), LEAST = sizeof(struct block) };

static union {
  struct block first;
  uint8_t bytes[ARENA_BYTES];
} arena __attribute__((section(".noinit")));

static struct block *free_blocks;
static int is_open;
static struct arena_figures figures;

static struct block *after(struct block *block) {
  return (struct block *)((uint8_t *)block + block->bytes);
}

static struct block *block_of(const void *user) {
  return (struct block *)((uintptr_t)user - HEAD);
}

static void *user_of(struct block *block) { return (uint8_t *)block + HEAD; }

static size_t bytes_for(size_t size) {
  size_t bytes = (size + HEAD + HEAD - 1) & ~(size_t)(HEAD - 1);
  return bytes < LEAST ? LEAST : bytes;
}

static void open_arena(void) {
  is_open = 1;
  arena.first = (struct block){sizeof arena, NULL};
  free_blocks = &arena.first;
}

static void note(ptrdiff_t change, const struct block *end) {
  size_t reached = (size_t)((const uint8_t *)end - arena.bytes);
  figures.used += (size_t)change;
  if (figures.used > figures.peak) figures.peak = figures.used;
  if (reached > figures.reached) figures.reached = reached;
}

/* Cuts a block down; what is left over becomes a free block at `*link`, the place in the list. */
static void cut(struct block *block, size_t bytes, struct block **link) {
  if (block->bytes - bytes < LEAST) return;
  struct block *rest = (struct block *)((uint8_t *)block + bytes);
  *rest = (struct block){block->bytes - bytes, *link};
  *link = rest;
  block->bytes = bytes;
}

void *malloc(size_t size) {
  if (!is_open) open_arena();
  figures.requests++;
  size_t bytes = bytes_for(size);
  struct block **best = NULL;
  if (size > sizeof arena) return NULL;
  for (struct block **link = &free_blocks; *link; link = &(*link)->next_free) {
    if ((*link)->bytes < bytes || (best && (*best)->bytes <= (*link)->bytes)) continue;
    best = link;
    if ((*link)->bytes == bytes) break;
  }
  if (!best) return NULL;
  struct block *block = *best;
  *best = block->next_free;
  cut(block, bytes, best);
  figures.blocks++;
  note((ptrdiff_t)block->bytes, after(block));
  return user_of(block);
}

/* The place in the list where a block at this address belongs, and the free block ahead of it. */
static struct block **place_of(const struct block *block, struct block **before) {
  struct block **link = &free_blocks;
  *before = NULL;
  while (*link && *link < block) {
    *before = *link;
    link = &(*link)->next_free;
  }
  return link;
}

static void join_with_next(struct block *block) {
  struct block *next = block->next_free;
  if (!next || after(block) != next) return;
  block->bytes += next->bytes;
  block->next_free = next->next_free;
}

void free(void *user) {
  if (!user) return;
  struct block *block = block_of(user);
  struct block *before;
  struct block **link = place_of(block, &before);
  figures.blocks--;
  figures.used -= block->bytes;
  block->next_free = *link;
  *link = block;
  join_with_next(block);
  if (before) join_with_next(before);
}

/* Makes a block longer where it lies, if what follows it is free. */
static int grow(struct block *block, size_t bytes) {
  struct block *before;
  struct block **link = place_of(block, &before);
  struct block *next = *link;
  if (!next || after(block) != next || block->bytes + next->bytes < bytes) return 0;
  size_t had = block->bytes;
  *link = next->next_free;
  block->bytes += next->bytes;
  cut(block, bytes, link);
  note((ptrdiff_t)(block->bytes - had), after(block));
  return 1;
}

static void shrink(struct block *block, size_t bytes) {
  struct block *before;
  struct block **link = place_of(block, &before);
  size_t had = block->bytes;
  cut(block, bytes, link);
  if (*link && after(block) == *link) join_with_next(*link);
  figures.used -= had - block->bytes;
}

void *realloc(void *user, size_t size) {
  if (!user) return malloc(size);
  struct block *block = block_of(user);
  size_t bytes = bytes_for(size);
  if (size > sizeof arena) return NULL;
  if (bytes <= block->bytes) {
    shrink(block, bytes);
    return user;
  }
  if (grow(block, bytes)) {
    figures.requests++;
    return user;
  }
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, user, block->bytes - HEAD);
  free(user);
  return moved;
}

void *calloc(size_t count, size_t size) {
  if (size && count > sizeof arena / size) return NULL;
  void *user = malloc(count * size);
  if (user) memset(user, 0, count * size);
  return user;
}

size_t malloc_usable_size(void *user) { return user ? block_of(user)->bytes - HEAD : 0; }

struct arena_figures arena_figures(void) {
  struct arena_figures result = figures;
  result.size = sizeof arena;
  return result;
}

#ifndef __PICOLIBC__
/* newlib's own calls end here too; picolibc's are the functions above. */
void *_malloc_r(struct _reent *unused, size_t size) {
  (void)unused;
  return malloc(size);
}

void _free_r(struct _reent *unused, void *user) {
  (void)unused;
  free(user);
}

void *_realloc_r(struct _reent *unused, void *user, size_t size) {
  (void)unused;
  return realloc(user, size);
}

void *_calloc_r(struct _reent *unused, size_t count, size_t size) {
  (void)unused;
  return calloc(count, size);
}
#endif

/*
 * The operator ** is the one place left (quickjs.sed) where the engine wants the C library's pow, 5 KiB with what that
 * stands on. The core has no use for it: here it says that it is not a number. Remove it for an application that has.
 */
double pow(double base, double exponent) {
  (void)base;
  (void)exponent;
  return NAN;
}
