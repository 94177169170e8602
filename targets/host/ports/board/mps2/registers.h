/* Registers of Arm's MPS2 with a Cortex-M3 (application note AN385) that are used here, as in qemu's machine
 * mps2-an385. For another microcontroller, use the vendor's header instead. */
#ifndef PICOGRANT_BOARD_REGISTERS_H
#define PICOGRANT_BOARD_REGISTERS_H

#include "cortex-m.h"

enum { BOARD_CLOCK_HZ = 25000000 };

/* Interrupts by their numbers in the NVIC. The watchdog raises the NMI. */
enum { IRQ_WATCHDOG = -14, IRQ_UART0_RX = 0, IRQ_TIMER0 = 8, IRQ_ETHERNET = 13, IRQ_COUNT = 32 };

/* UART0 is a CMSDK UART. */
#define UART0_DATA BOARD_REGISTER(0x40004000)
#define UART0_STATE BOARD_REGISTER(0x40004004)
#define UART0_CONTROL BOARD_REGISTER(0x40004008)
#define UART0_INTERRUPT BOARD_REGISTER(0x4000400c)
#define UART0_DIVIDER BOARD_REGISTER(0x40004010)
enum {
  UART_TX_FULL = 1 << 0,
  UART_RX_FULL = 1 << 1,
  UART_TX_ON = 1 << 0,
  UART_RX_ON = 1 << 1,
  UART_RX_INTERRUPT_ON = 1 << 3,
  UART_RX_INTERRUPT = 1 << 1
};

/* Timer 0 is a CMSDK timer, which counts down at the board's clock. */
#define TIMER0_CONTROL BOARD_REGISTER(0x40000000)
#define TIMER0_VALUE BOARD_REGISTER(0x40000004)
#define TIMER0_RELOAD BOARD_REGISTER(0x40000008)
#define TIMER0_INTERRUPT BOARD_REGISTER(0x4000000c)
enum { TIMER_ON = 1 << 0, TIMER_INTERRUPT_ON = 1 << 3 };

/* The watchdog is a CMSDK watchdog. Its first timeout is an NMI, its second one a reset. */
#define WATCHDOG_LOAD BOARD_REGISTER(0x40008000)
#define WATCHDOG_CONTROL BOARD_REGISTER(0x40008008)
#define WATCHDOG_CLEAR BOARD_REGISTER(0x4000800c)
#define WATCHDOG_LOCK BOARD_REGISTER(0x40008c00)
enum { WATCHDOG_INTERRUPT_ON = 1 << 0, WATCHDOG_RESET_ON = 1 << 1, WATCHDOG_KEY = 0x1acce551 };

/* FPGAIO has a counter with a prescaler. It also runs while the processor sleeps. */
#define FPGAIO_PRESCALE BOARD_REGISTER(0x4002801c)
#define FPGAIO_COUNTER BOARD_REGISTER(0x40028018)

/* The I2C bus of shield 1: two pins that software drives and reads. */
#define I2C_PINS BOARD_REGISTER(0x4002a000)
#define I2C_RELEASE BOARD_REGISTER(0x4002a000)
#define I2C_PULL_LOW BOARD_REGISTER(0x4002a004)
enum { I2C_CLOCK = 1 << 0, I2C_DATA = 1 << 1 };

#endif
