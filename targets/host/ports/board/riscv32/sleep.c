/*
 * The clock of the board, its watchdog, and its sleep. virt has no watchdog: the timer's interrupt stands in for it,
 * which sees a loop that hangs as long as interrupts are on.
 */
#include "board.h"
#include "clock.h"
#include "virt.h"

enum { TICKS_PER_MS = TIMER_HZ / 1000, WATCHDOG_MS = 90000, SLEEP_MAX_MS = 60000 };

static struct board_sleep_figures figures;
static uint32_t counting_since;
static uint64_t watchdog_end;
static uint64_t sleep_end;

static uint64_t ticks(void) {
  uint32_t high;
  uint32_t low;
  do {
    high = TIMER_HIGH;
    low = TIMER_LOW;
  } while (high != TIMER_HIGH);
  return (uint64_t)high << 32 | low;
}

/* In this order nothing in between is a time that is over. */
static void wake_at(uint64_t when) {
  TIMER_COMPARE_HIGH = 0xffffffff;
  TIMER_COMPARE_LOW = (uint32_t)when;
  TIMER_COMPARE_HIGH = (uint32_t)(when >> 32);
}

void board_clock_open(void) {
  sleep_end = UINT64_MAX;
  board_watchdog_feed();
}

uint32_t pg_clock_ms(void) { return (uint32_t)(ticks() / TICKS_PER_MS); }

void board_watchdog_open(void) { board_watchdog_feed(); }

void board_watchdog_feed(void) {
  watchdog_end = ticks() + (uint64_t)WATCHDOG_MS * TICKS_PER_MS;
  wake_at(watchdog_end);
}

void board_on_timer(void) {
  if (ticks() >= watchdog_end) {
    board_log("watchdog: the loop has not come round; restarting\n");
    board_restart();
  }
  sleep_end = UINT64_MAX;
  wake_at(watchdog_end);
}

void board_sleep(uint32_t ms) {
  board_watchdog_feed();
  if (ms == 0) return;
  if (ms > SLEEP_MAX_MS) ms = SLEEP_MAX_MS;
  uint32_t before = pg_clock_ms();
  sleep_end = ticks() + (uint64_t)ms * TICKS_PER_MS;
  wake_at(sleep_end);
  /* With interrupts off nothing can come between the look and the sleep: what is pending ends WFI all the same. */
  __asm__ volatile("csrc mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
  int sleeps = !board_key_is_kept() && !board_ethernet_has_input();
  if (sleeps) __asm__ volatile("wfi" ::: "memory");
  __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
  wake_at(watchdog_end);
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
