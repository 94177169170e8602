/* NOR flash. Contract in cfi.h. Commands go to both halves of the four bytes, which are a chip each. */
#include "cfi.h"

#include <string.h>

#include "virt.h"

enum { WORD = 4, BUFFER_BYTES = 256 };
#define BOTH(command) ((uint32_t)(command) << 16 | (command))
enum { ERASE = 0x20, CONFIRM = 0xd0, WRITE_BUFFER = 0xe8, READ_ARRAY = 0xff, CLEAR_STATE = 0x50 };
enum { READY = 0x80, FAILED = 0x3a };

typedef volatile uint32_t cell;

static uint32_t interrupts_off(void) {
  uint32_t before;
  __asm__ volatile("csrrc %0, mstatus, %1" : "=r"(before) : "r"(MSTATUS_MIE) : "memory");
  return before & MSTATUS_MIE;
}

static void interrupts_as(uint32_t before) {
  __asm__ volatile("csrs mstatus, %0" ::"r"(before) : "memory");
}

/* Waits for the end; then the chip can be read again. */
static int finish(cell *at) {
  while (!(*at & READY)) continue;
  int ok = (*at & FAILED) == 0;
  *at = BOTH(CLEAR_STATE);
  *at = BOTH(READ_ARRAY);
  return ok;
}

int cfi_erase_sector(uintptr_t address) {
  cell *at = (cell *)address;
  uint32_t before = interrupts_off();
  *at = BOTH(ERASE);
  *at = BOTH(CONFIRM);
  int ok = finish(at);
  interrupts_as(before);
  return ok;
}

/* Whole words, all in one of the chip's buffers. */
static int program_words(uintptr_t address, const uint32_t *words, size_t count) {
  cell *at = (cell *)address;
  uint32_t before = interrupts_off();
  *at = BOTH(WRITE_BUFFER);
  *at = BOTH(count - 1);
  for (size_t i = 0; i < count; i++) at[i] = words[i];
  *at = BOTH(CONFIRM);
  int ok = finish(at);
  interrupts_as(before);
  return ok;
}

int cfi_program(uintptr_t at, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    uint32_t words[BUFFER_BYTES / WORD];
    uintptr_t first = at & ~(uintptr_t)(WORD - 1);
    size_t ahead = at - first;
    size_t count = BUFFER_BYTES - first % BUFFER_BYTES - ahead;
    if (count > size) count = size;
    size_t all = (ahead + count + WORD - 1) / WORD;
    /* What is in the first and last word already stays. */
    memcpy(words, (const void *)first, all * WORD);
    for (size_t i = 0; i < count; i++) ((uint8_t *)words)[ahead + i] &= bytes[i];
    if (!program_words(first, words, all)) return 0;
    if (memcmp((const void *)at, bytes, count) != 0) return 0;
    at += count;
    bytes += count;
    size -= count;
  }
  return 1;
}
