/* The vector table, the reset handler, the interrupt handler and board_sleep. The fault handlers report a fault on the
 * UART and reset the board. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "map.h"
#include "picogrant-port.h"
#include "registers.h"

extern uint32_t board_stack_bottom[], board_stack_top[];
extern uint32_t board_data_image[], board_data_start[], board_data_end[];
extern uint32_t board_bss_start[], board_bss_end[];

enum { FRAME_BYTES = 32 };

int main(void);
void board_reset(void);

/* Forbids access to memory below RAM, so that a stack that grows out of RAM causes a fault at once. Without this guard, the
 * stack would overwrite other memory on some microcontrollers, and the emulator ignores such writes. */
static void guard_stack(void) {
  MPU_REGION = 0;
  MPU_BASE = MAP_RAM_AT - (1u << MPU_GUARD_BITS);
  MPU_ATTRIBUTES = MPU_NO_EXECUTION | (MPU_GUARD_BITS - 1) << 1 | MPU_REGION_ON;
  MPU_CONTROL = MPU_DEFAULT_MAP | MPU_ON;
  __asm__ volatile("dsb\n isb" ::: "memory");
}

void board_reset(void) {
  guard_stack();
  board_stack_paint(__builtin_frame_address(0));
  const uint32_t *from = board_data_image;
  for (uint32_t *word = board_data_start; word < board_data_end; word++) *word = *from++;
  for (uint32_t *word = board_bss_start; word < board_bss_end; word++) *word = 0;
  main();
  board_restart();
}

void board_restart(void) {
  SCB_RESET_CONTROL = SCB_RESET_REQUEST;
  for (;;) continue;
}

void board_hang(void) {
  for (;;) __asm__ volatile("wfi");
}

/* `frame` is where the processor has pushed its registers. The seventh word is the address of the fault. If the stack
 * has grown too large, `frame` is below the stack's memory, and nothing was pushed. */
__attribute__((used)) static void report_fault(const uint32_t *frame) {
  uintptr_t at = (uintptr_t)frame;
  if (at < (uintptr_t)board_stack_bottom || at > (uintptr_t)board_stack_top - FRAME_BYTES) {
    board_log("stack overflow; restarting\n");
    board_restart();
  }
  board_log("fault at ");
  board_log_hex(frame[6]);
  board_log(", called from ");
  board_log_hex(frame[5]);
  board_log(", status ");
  board_log_hex(SCB_FAULT_STATUS);
  board_log("\n");
  board_restart();
}

/* Resets the stack pointer before the report, because there may be no space left on the stack. */
__attribute__((naked)) static void on_fault(void) {
  __asm__("mrs r0, msp\n ldr r1, =board_stack_top\n msr msp, r1\n b report_fault\n");
}

static void on_watchdog(void) {
  board_log("watchdog: the loop has not come round; restarting\n");
  board_restart();
}

__attribute__((used)) static void on_unexpected(void) {
  board_log("unexpected interrupt\n");
  board_restart();
}

static volatile int has_input, is_over;

int board_ethernet_has_input(void) { return has_input; }

void board_ethernet_listen(int is_on) {
  if (is_on) {
    board_irq_on(IRQ_ETHERNET);
    return;
  }
  board_irq_off(IRQ_ETHERNET);
  board_irq_discard(IRQ_ETHERNET);
  has_input = 0;
}

/* Handles an interrupt. IPSR contains its number in the NVIC plus 16. */
static void on_interrupt(void) {
  int number;
  __asm__ volatile("mrs %0, ipsr" : "=r"(number));
  switch (number - 16) {
    case IRQ_WATCHDOG:
      on_watchdog();
      break;
    case IRQ_UART0_RX:
      board_on_key();
      break;
    case IRQ_TIMER0:
      board_timer_stop();
      is_over = 1;
      break;
    case IRQ_ETHERNET:
      /* The controller raises this interrupt until its frames have been read, so disable it until the loop reads them. */
      board_irq_off(IRQ_ETHERNET);
      has_input = 1;
      break;
    default:
      on_unexpected();
  }
}

/* The default handler, for machines that do not use SysTick. */
void board_on_tick(void) __attribute__((weak, alias("on_unexpected")));

/* Without an entry for an interrupt, the processor would jump to an address that it reads from the code after the table. */
__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  void (*system[15])(void);
  void (*interrupts[IRQ_COUNT])(void);
} vectors = {
    .stack = board_stack_top,
    .system = {board_reset, on_interrupt, on_fault, on_fault, on_fault, on_fault, on_unexpected,
               on_unexpected, on_unexpected, on_unexpected, on_unexpected, on_unexpected,
               on_unexpected, on_unexpected, board_on_tick},
    .interrupts = {[0 ... IRQ_COUNT - 1] = on_interrupt},
};

/* The watchdog restarts the board after 90 s without a call of board_sleep, so a single sleep is shorter. */
enum { SLEEP_MAX_MS = 60000 };

static struct board_sleep_figures figures;
static uint32_t counting_since;

void board_sleep(uint32_t ms) {
  board_watchdog_feed();
  if (ms == 0) return;
  is_over = 0;
  board_timer_start(ms > SLEEP_MAX_MS ? SLEEP_MAX_MS : ms);
  uint32_t before = pg_clock_ms();
  /* Interrupts are off, so none can come between the check of the flags and the sleep. A pending interrupt still ends
   * WFI, and is handled when interrupts are on again. A tick (board_on_tick) alone does not wake up the loop. */
  __asm__ volatile("cpsid i" ::: "memory");
  while (!is_over && !has_input && !board_key_is_stored()) {
    __asm__ volatile("dsb\n wfi\n cpsie i\n isb\n cpsid i" ::: "memory");
    figures.wakes++;
  }
  __asm__ volatile("cpsie i\n isb" ::: "memory");
  board_timer_stop();
  figures.asleep_ms += pg_clock_ms() - before;
}

struct board_sleep_figures board_sleep_figures(void) {
  struct board_sleep_figures result = figures;
  uint32_t now = pg_clock_ms();
  result.since_ms = now - counting_since;
  counting_since = now;
  figures = (struct board_sleep_figures){0};
  return result;
}
