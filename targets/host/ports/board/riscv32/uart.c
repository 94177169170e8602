/* The UART: a 16550. */
#include "board.h"
#include "virt.h"

void board_uart_open(void) {
  UART_FIFO = UART_FIFO_ON;
  UART_INTERRUPTS = UART_RX_INTERRUPT_ON;
  board_enable(IRQ_UART);
}

void board_uart_put(uint8_t byte) {
  while (!(UART_STATE & UART_TX_EMPTY)) continue;
  UART_DATA = byte;
}

void board_on_key(void) {
  while (UART_STATE & UART_HAS_INPUT) board_keep_key(UART_DATA);
}
