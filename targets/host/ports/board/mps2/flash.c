/*
 * Flash of an emulated board. The machine has none of which the content lasts, but it has memory that a file
 * of the emulator's can lie behind: what is written there is there after a kill. This file makes flash of it. It
 * erases whole sectors, clears bits and sets none, a page at a time; and where a test has asked for it, the
 * power goes in the middle of a step.
 *
 * A real board has a flash controller, and its vendor's three functions in place of this file.
 */
#include "flash.h"

#include <string.h>

#include "board.h"
#include "map.h"

/*
 * The last words of the file are the test's: how many steps (sectors erased, pages programmed) have been made
 * since it was reset, and at which of them the power goes; 0: at none.
 */
extern volatile struct {
  uint32_t steps;
  uint32_t cut_at;
} board_flash_test;

static int is_flash(uintptr_t at, size_t size) {
  return at >= MAP_FLASH_AT && at <= MAP_FLASH_END && size <= MAP_FLASH_END - at;
}

/* How much of a step of `size` bytes is done: half of it where the power goes now. */
static size_t begin_step(size_t size) {
  uint32_t step = board_flash_test.steps + 1;
  board_flash_test.steps = step;
  return step == board_flash_test.cut_at ? size / 2 : size;
}

static void end_step(size_t size, size_t done) {
  if (done == size) return;
  board_log("flash: the power goes in the middle of a step\n");
  /* Nothing more happens on this board: whoever emulates it takes it away. */
  __asm__ volatile("cpsid i");
  for (;;) __asm__ volatile("wfi");
}

int flash_erase_sector(uintptr_t at) {
  if (at % FLASH_SECTOR_BYTES != 0 || !is_flash(at, FLASH_SECTOR_BYTES)) return 0;
  size_t size = begin_step(FLASH_SECTOR_BYTES);
  memset((void *)at, 0xff, size);
  end_step(FLASH_SECTOR_BYTES, size);
  return 1;
}

static int program_page(uintptr_t at, const uint8_t *bytes, size_t size) {
  volatile uint8_t *cells = (volatile uint8_t *)at;
  size_t count = begin_step(size);
  int is_right = 1;
  for (size_t i = 0; i < count; i++) {
    cells[i] = cells[i] & bytes[i];
    is_right &= cells[i] == bytes[i];
  }
  end_step(size, count);
  return is_right;
}

int flash_program(uintptr_t at, const uint8_t *bytes, size_t size) {
  if (!is_flash(at, size)) return 0;
  while (size > 0) {
    size_t count = FLASH_PAGE_BYTES - at % FLASH_PAGE_BYTES;
    if (count > size) count = size;
    if (!program_page(at, bytes, count)) return 0;
    at += count;
    bytes += count;
    size -= count;
  }
  return 1;
}
