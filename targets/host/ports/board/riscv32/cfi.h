/*
 * NOR flash with Intel's commands, four bytes wide. While a chip is written nothing of it can be read: whoever calls
 * lies in the other one, and interrupts are off meanwhile.
 */
#ifndef PICOGRANT_BOARD_CFI_H
#define PICOGRANT_BOARD_CFI_H

#include <stddef.h>
#include <stdint.h>

/* Each returns 1 once it is done and durable, or 0. */
int cfi_erase_sector(uintptr_t at);

/* Any bytes at any place; bits can only be cleared. */
int cfi_program(uintptr_t at, const uint8_t *bytes, size_t size);

#endif
