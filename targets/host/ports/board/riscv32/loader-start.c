/* The boot loader on RISC-V: its first instructions, and those of the firmware that it starts. Contract in machine.h. */
#include "board.h"
#include "machine.h"
#include "map.h"
#include "virt.h"

extern uint32_t loader_bss_start[], loader_bss_end[];

void loader_start(void);
void loader_reset(void);
void loader_fault(void);

__attribute__((naked, section(".vectors"), used)) void loader_start(void) {
  __asm__("la sp, loader_stack_top\n j loader_reset\n");
}

__attribute__((aligned(4))) void loader_fault(void) {
  board_log("loader: fault; restarting\n");
  TEST_DEVICE = TEST_RESET;
  for (;;) continue;
}

void loader_quiet(void) {
  __asm__ volatile("csrw mie, zero");
  PLIC_ENABLE = 0;
}

void loader_rest(void) { __asm__ volatile("wfi"); }

void loader_run(const uint8_t *code) {
  void (*start)(void) = (void (*)(void))((uintptr_t)code + MAP_VECTORS_OFFSET - MAP_IMAGE_HEADER_BYTES);
  start();
}

void loader_reset(void) {
  __asm__ volatile("csrw mtvec, %0" ::"r"(loader_fault));
  for (uint32_t *word = loader_bss_start; word < loader_bss_end; word++) *word = 0;
  loader_main();
  loader_fault();
}
