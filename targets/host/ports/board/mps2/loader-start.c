/* The boot loader on a Cortex-M: its vectors, and those of the firmware that it starts. Contract in machine.h. */
#include <stddef.h>

#include "board.h"
#include "machine.h"
#include "map.h"
#include "mps2.h"

extern uint32_t loader_stack_top[], loader_bss_start[], loader_bss_end[];

void loader_reset(void);

static void restart(void) {
  SCB_RESET_CONTROL = SCB_RESET_REQUEST;
  for (;;) continue;
}

static void on_fault(void) {
  board_log("loader: fault; restarting\n");
  restart();
}

void loader_quiet(void) { NVIC_DISABLE = 0xffffffff; }

void loader_rest(void) { __asm__ volatile("wfi"); }

/* Its vectors name its stack and its first instruction. */
void loader_run(const uint8_t *code) {
  uintptr_t vectors = (uintptr_t)code + MAP_VECTORS_OFFSET - MAP_IMAGE_HEADER_BYTES;
  const uint32_t *words = (const uint32_t *)vectors;
  SCB_VECTORS = vectors;
  __asm__ volatile("msr msp, %0\n dsb\n isb\n bx %1" ::"r"(words[0]), "r"(words[1]) : "memory");
}

void loader_reset(void) {
  for (uint32_t *word = loader_bss_start; word < loader_bss_end; word++) *word = 0;
  loader_main();
  restart();
}

__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  void (*system[15])(void);
  void (*interrupts[IRQ_COUNT])(void);
} vectors = {
    .stack = loader_stack_top,
    .system = {[0] = loader_reset, [1 ... 14] = on_fault},
    .interrupts = {[0 ... IRQ_COUNT - 1] = on_fault},
};
_Static_assert(sizeof vectors <= MAP_SERVICES_OFFSET,
               "map.h: MAP_SERVICES_OFFSET is behind the loader's vectors");
