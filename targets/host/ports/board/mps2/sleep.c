/*
 * The clock of the board, its watchdog, and its sleep.
 *
 * Time is read from a counter that runs on by itself: counting timer interrupts loses those that come while
 * interrupts are off. The timer only ends a sleep.
 */
#include "board.h"
#include "mps2.h"
#include "picogrant-port.h"

enum {
  TICKS_PER_MS = BOARD_CLOCK_HZ / 1000,
  WATCHDOG_S = 90,
  /* Longer sleeps are made of several: the watchdog is fed in between, and the timer has 32 bits. */
  SLEEP_MAX_MS = 60000
};

static struct board_sleep_figures figures;
static uint32_t counting_since;

void board_clock_open(void) {
  FPGAIO_PRESCALE = TICKS_PER_MS - 1;
  FPGAIO_COUNTER = 0;
  NVIC_ENABLE = 1u << IRQ_TIMER0;
}

uint32_t pg_clock_ms(void) { return FPGAIO_COUNTER; }

void board_watchdog_open(void) {
  WATCHDOG_LOCK = WATCHDOG_KEY;
  WATCHDOG_LOAD = (uint32_t)WATCHDOG_S * BOARD_CLOCK_HZ;
  WATCHDOG_CONTROL = WATCHDOG_INTERRUPT_ON | WATCHDOG_RESET_ON;
}

void board_watchdog_feed(void) { WATCHDOG_CLEAR = 1; }

void board_on_timer(void) {
  TIMER0_CONTROL = 0;
  TIMER0_INTERRUPT = 1;
}

void board_sleep(uint32_t ms) {
  board_watchdog_feed();
  if (ms == 0) return;
  if (ms > SLEEP_MAX_MS) ms = SLEEP_MAX_MS;
  TIMER0_VALUE = TIMER0_RELOAD = ms * TICKS_PER_MS;
  TIMER0_CONTROL = TIMER_ON | TIMER_INTERRUPT_ON;
  uint32_t before = pg_clock_ms();
  /*
   * With interrupts off nothing can come between the look at the flags and the sleep: an interrupt that is
   * pending ends WFI all the same, and is served as soon as they are on again.
   */
  __asm__ volatile("cpsid i" ::: "memory");
  int sleeps = !board_key_is_kept() && !board_ethernet_has_input();
  if (sleeps) __asm__ volatile("dsb\n wfi" ::: "memory");
  __asm__ volatile("cpsie i\n isb" ::: "memory");
  TIMER0_CONTROL = 0;
  TIMER0_INTERRUPT = 1;
  if (!sleeps) return;
  figures.wakes++;
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
