/* The UART: a CMSDK UART. */
#include "board.h"
#include "mps2.h"

enum { BAUD = 115200 };

void board_uart_open(void) {
  UART0_DIVIDER = BOARD_CLOCK_HZ / BAUD;
  UART0_CONTROL = UART_TX_ON | UART_RX_ON | UART_RX_INTERRUPT_ON;
  NVIC_ENABLE = 1u << IRQ_UART0_RX;
}

void board_uart_put(uint8_t byte) {
  while (UART0_STATE & UART_TX_FULL) continue;
  UART0_DATA = byte;
}

void board_on_key(void) {
  while (UART0_STATE & UART_RX_FULL) board_keep_key((uint8_t)UART0_DATA);
  UART0_INTERRUPT = UART_RX_INTERRUPT;
}
