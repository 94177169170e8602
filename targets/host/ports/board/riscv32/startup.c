/*
 * The first instructions: memory as C expects it, and what becomes of interrupts and faults. They have a stack of their
 * own, so that a stack that is used up can be reported.
 */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "map.h"
#include "virt.h"

extern uint32_t board_stack_bottom[], board_stack_top[];
extern uint32_t board_data_image[], board_data_start[], board_data_end[];
extern uint32_t board_bss_start[], board_bss_end[];

enum { TRAP_STACK_WORDS = 192, GUARD_BYTES = 1 << 20 };

static uint32_t trap_stack[TRAP_STACK_WORDS] __attribute__((aligned(16)));

int main(void);
void board_reset(void);
void board_start(void);
void board_trap(void);

/* Thread-local variables of the C library's, such as errno, have one place: there is one thread. */
__attribute__((naked, section(".vectors"), used)) void board_start(void) {
  __asm__(
      ".option push\n .option norelax\n la gp, __global_pointer$\n .option pop\n"
      "la sp, board_stack_top\n la tp, board_tls\n j board_reset\n");
}

void board_restart(void) {
  TEST_DEVICE = TEST_RESET;
  for (;;) continue;
}

void board_hang(void) {
  for (;;) continue;
}

static void report_fault(uint32_t cause, uint32_t at) {
  uint32_t address;
  __asm__ volatile("csrr %0, mtval" : "=r"(address));
  if (address < MAP_RAM_AT && address >= MAP_RAM_AT - GUARD_BYTES) {
    board_log("stack overflow; restarting\n");
    board_restart();
  }
  board_log("fault at ");
  board_log_hex(at);
  board_log(", cause ");
  board_log_hex(cause);
  board_log(", address ");
  board_log_hex(address);
  board_log("\n");
  board_restart();
}

static void serve_devices(void) {
  for (uint32_t irq = PLIC_CLAIM; irq != 0; irq = PLIC_CLAIM) {
    if (irq == IRQ_UART) board_on_key();
    else board_on_ethernet();
    PLIC_CLAIM = irq;
  }
}

__attribute__((used)) static void on_trap(uint32_t cause, uint32_t at) {
  enum { TIMER = 7, EXTERNAL = 11 };
  if (cause == (MCAUSE_INTERRUPT | TIMER)) board_on_timer();
  else if (cause == (MCAUSE_INTERRUPT | EXTERNAL)) serve_devices();
  else report_fault(cause, at);
}

/* Saves what a call may change, on the stack of traps. */
__attribute__((naked, aligned(4))) void board_trap(void) {
  __asm__(
      "csrrw sp, mscratch, sp\n addi sp, sp, -64\n"
      "sw ra, 0(sp)\n sw t0, 4(sp)\n sw t1, 8(sp)\n sw t2, 12(sp)\n sw t3, 16(sp)\n sw t4, 20(sp)\n"
      "sw t5, 24(sp)\n sw t6, 28(sp)\n sw a0, 32(sp)\n sw a1, 36(sp)\n sw a2, 40(sp)\n sw a3, 44(sp)\n"
      "sw a4, 48(sp)\n sw a5, 52(sp)\n sw a6, 56(sp)\n sw a7, 60(sp)\n"
      "csrr a0, mcause\n csrr a1, mepc\n call on_trap\n"
      "lw ra, 0(sp)\n lw t0, 4(sp)\n lw t1, 8(sp)\n lw t2, 12(sp)\n lw t3, 16(sp)\n lw t4, 20(sp)\n"
      "lw t5, 24(sp)\n lw t6, 28(sp)\n lw a0, 32(sp)\n lw a1, 36(sp)\n lw a2, 40(sp)\n lw a3, 44(sp)\n"
      "lw a4, 48(sp)\n lw a5, 52(sp)\n lw a6, 56(sp)\n lw a7, 60(sp)\n"
      "addi sp, sp, 64\n csrrw sp, mscratch, sp\n mret\n");
}

/* Below RAM nothing may be touched: a stack that grows out of it faults at its first step. */
static void guard_stack(void) {
  enum { LOCKED_RANGE_WITHOUT_ACCESS = 0x98, EVERYTHING = 0x1f };
  uint32_t guard = (MAP_RAM_AT - GUARD_BYTES) >> 2 | ((GUARD_BYTES >> 3) - 1);
  __asm__ volatile("csrw pmpaddr0, %0\n csrw pmpaddr1, %1" ::"r"(guard), "r"(0xffffffff));
  __asm__ volatile("csrw pmpcfg0, %0" ::"r"(LOCKED_RANGE_WITHOUT_ACCESS | EVERYTHING << 8));
}

static void open_traps(void) {
  __asm__ volatile("csrw mtvec, %0" ::"r"(board_trap));
  __asm__ volatile("csrw mscratch, %0" ::"r"(trap_stack + TRAP_STACK_WORDS));
  PLIC_THRESHOLD = 0;
  __asm__ volatile("csrw mie, %0" ::"r"(MIE_TIMER | MIE_EXTERNAL));
  __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
}

void board_reset(void) {
  board_stack_paint(__builtin_frame_address(0));
  const uint32_t *from = board_data_image;
  for (uint32_t *word = board_data_start; word < board_data_end; word++) *word = *from++;
  for (uint32_t *word = board_bss_start; word < board_bss_end; word++) *word = 0;
  guard_stack();
  open_traps();
  main();
  board_restart();
}
