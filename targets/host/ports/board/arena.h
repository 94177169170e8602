/* The heap of the engine, and of nobody else: figures for the table. */
#ifndef PICOGRANT_BOARD_ARENA_H
#define PICOGRANT_BOARD_ARENA_H

#include <stddef.h>

struct arena_figures {
  size_t size;    /* bytes that there are */
  size_t used;    /* in use now, with what the arena itself needs */
  size_t peak;    /* the most that ever were in use */
  size_t reached; /* how far into the arena blocks ever lay: a smaller arena than this might have been too small */
  size_t blocks;
  size_t requests; /* for a new block or a larger one, since the reset */
};

struct arena_figures arena_figures(void);

#endif
