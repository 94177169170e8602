/* How deep the stack was: it is painted at the start, and what is not touched keeps its paint. */
#include "board.h"

enum { PAINT = 0x57ac57ac, OWN_WORDS = 16 };

extern uint32_t board_stack_bottom[], board_stack_top[];

/* Below where this function's own frame may be. */
void board_stack_paint(void *frame) {
  uint32_t *here = frame;
  for (uint32_t *word = board_stack_bottom; word < here - OWN_WORDS; word++) *word = PAINT;
}

size_t board_stack_used(void) {
  const uint32_t *word = board_stack_bottom;
  while (word < board_stack_top && *word == PAINT) word++;
  return (size_t)(board_stack_top - word) * sizeof *word;
}

size_t board_stack_size(void) {
  return (size_t)(board_stack_top - board_stack_bottom) * sizeof *board_stack_top;
}
