/* UART, clock, timer and watchdog. SysTick has 24 bits, which last two thirds of a second at this clock. So an interrupt
 * counts half seconds, and SysTick's value is the rest. */
#include "board.h"
#include "picogrant-port.h"
#include "registers.h"

enum { BAUD = 115200, TICKS_PER_MS = BOARD_CLOCK_HZ / 1000, WATCHDOG_S = 90 };
enum { PERIOD_MS = 500, PERIOD_LAST = PERIOD_MS * TICKS_PER_MS - 1 };

static void start_clocks(void) {
  SYSTEM_CLOCK = CLOCK_PAST_PLL;
  while (!(SYSTEM_STATE & PLL_IS_LOCKED)) continue;
  SYSTEM_CLOCK = CLOCK_OF_PLL;
  SYSTEM_PARTS_0 = PARTS_0_WATCHDOG;
  SYSTEM_PARTS_1 = PARTS_1_UART | PARTS_1_SSI | PARTS_1_TIMER;
  SYSTEM_PARTS_2 = PARTS_2_PORTS | PARTS_2_ETHERNET;
}

void board_uart_open(void) {
  /* The divider is BOARD_CLOCK_HZ / (16 * BAUD), here in units of 1/64. */
  enum { DIVIDER = (BOARD_CLOCK_HZ * 4 + BAUD / 2) / BAUD };
  start_clocks();
  PORT_IS_OF_PART(PORT_A) = PINS_OF_UART | PINS_OF_SSI;
  PORT_IS_DIGITAL(PORT_A) = PINS_OF_UART | PINS_OF_SSI | PIN_A_PANEL;
  board_ssi_open();
  UART0_DIVIDER = DIVIDER / 64;
  UART0_DIVIDER_64TH = DIVIDER % 64;
  UART0_LINE = UART_8_BITS;
  UART0_CONTROL = UART_ON;
  UART0_INTERRUPTS_ON = UART_RX_INTERRUPT;
  board_irq_on(IRQ_UART0_RX);
}

void board_uart_put(uint8_t byte) {
  while (UART0_STATE & UART_TX_FULL) continue;
  UART0_DATA = byte;
}

void board_on_key(void) {
  UART0_INTERRUPT = UART_RX_INTERRUPT;
  while (!(UART0_STATE & UART_RX_EMPTY)) board_keep_key((uint8_t)UART0_DATA);
}

static volatile uint32_t periods;

void board_on_tick(void) { periods++; }

void board_clock_open(void) {
  SYSTICK_RELOAD = PERIOD_LAST;
  SYSTICK_VALUE = 0;
  SYSTICK_CONTROL = SYSTICK_ON;
  TIMER0_CONFIGURATION = 0;
  TIMER0_MODE = TIMER_ONCE;
  TIMER0_INTERRUPTS_ON = TIMER_INTERRUPT;
  board_irq_on(IRQ_TIMER0);
}

/* Returns the milliseconds since the start. A period may end in this function while the interrupt is off. The interrupt
 * is then pending, and SysTick's value belongs to the next period. A value of 0 may belong to either period, so read
 * again. */
uint32_t pg_clock_ms(void) {
  uint32_t before, left, is_over;
  do {
    before = periods;
    is_over = (SCB_INTERRUPT_STATE & SCB_TICK_IS_PENDING) != 0;
    left = SYSTICK_VALUE;
  } while (left == 0 || before != periods || is_over != ((SCB_INTERRUPT_STATE & SCB_TICK_IS_PENDING) != 0));
  return (before + is_over) * PERIOD_MS + (PERIOD_LAST - left) / TICKS_PER_MS;
}

void board_watchdog_open(void) {
  WATCHDOG_LOAD = (uint32_t)WATCHDOG_S * BOARD_CLOCK_HZ;
  WATCHDOG_CONTROL = WATCHDOG_INTERRUPT_ON | WATCHDOG_RESET_ON;
  board_irq_on(IRQ_WATCHDOG);
}

void board_watchdog_feed(void) { WATCHDOG_CLEAR = 1; }

void board_timer_start(uint32_t ms) {
  TIMER0_RELOAD = ms * TICKS_PER_MS;
  TIMER0_CONTROL = TIMER_ON;
}

void board_timer_stop(void) {
  TIMER0_CONTROL = 0;
  TIMER0_INTERRUPT = TIMER_INTERRUPT;
}

/* The board has no clock with a battery. It gets the time from a server (wall-clock.h). */
uint32_t board_clock_chip(void) { return 0; }

void board_clock_set_chip(uint32_t wall_s) { (void)wall_s; }
