/* UART, clock, timer and watchdog, which are Arm's CMSDK. The clock is a free-running counter, because a count of timer
 * interrupts would miss those that come while interrupts are off. The timer only ends a sleep. */
#include "board.h"
#include "picogrant-port.h"
#include "registers.h"

enum { BAUD = 115200, TICKS_PER_MS = BOARD_CLOCK_HZ / 1000, WATCHDOG_S = 90 };

void board_uart_open(void) {
  UART0_DIVIDER = BOARD_CLOCK_HZ / BAUD;
  UART0_CONTROL = UART_TX_ON | UART_RX_ON | UART_RX_INTERRUPT_ON;
  board_irq_on(IRQ_UART0_RX);
}

void board_uart_put(uint8_t byte) {
  while (UART0_STATE & UART_TX_FULL) continue;
  UART0_DATA = byte;
}

void board_on_key(void) {
  while (UART0_STATE & UART_RX_FULL) board_keep_key((uint8_t)UART0_DATA);
  UART0_INTERRUPT = UART_RX_INTERRUPT;
}

void board_clock_open(void) {
  FPGAIO_PRESCALE = TICKS_PER_MS - 1;
  FPGAIO_COUNTER = 0;
  board_irq_on(IRQ_TIMER0);
}

uint32_t pg_clock_ms(void) { return FPGAIO_COUNTER; }

void board_watchdog_open(void) {
  WATCHDOG_LOCK = WATCHDOG_KEY;
  WATCHDOG_LOAD = (uint32_t)WATCHDOG_S * BOARD_CLOCK_HZ;
  WATCHDOG_CONTROL = WATCHDOG_INTERRUPT_ON | WATCHDOG_RESET_ON;
}

void board_watchdog_feed(void) { WATCHDOG_CLEAR = 1; }

void board_timer_start(uint32_t ms) {
  TIMER0_VALUE = TIMER0_RELOAD = ms * TICKS_PER_MS;
  TIMER0_CONTROL = TIMER_ON | TIMER_INTERRUPT_ON;
}

void board_timer_stop(void) {
  TIMER0_CONTROL = 0;
  TIMER0_INTERRUPT = 1;
}
