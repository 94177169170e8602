/*
 * The registers of the board that are used: Arm's MPS2 with a Cortex-M3 (application note AN385), as qemu's
 * machine mps2-an385 has it. For another microcontroller this is the vendor's header.
 */
#ifndef PICOGRANT_BOARD_REGISTERS_H
#define PICOGRANT_BOARD_REGISTERS_H

#include "cortex-m.h"

enum { BOARD_CLOCK_HZ = 25000000 };

/* Interrupts, by their numbers at the NVIC; the watchdog's is the NMI. */
enum { IRQ_WATCHDOG = -14, IRQ_UART0_RX = 0, IRQ_TIMER0 = 8, IRQ_ETHERNET = 13, IRQ_COUNT = 32 };

/* UART0: a CMSDK UART. */
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

/* Timer 0: a CMSDK timer that counts down at the board's clock. */
#define TIMER0_CONTROL BOARD_REGISTER(0x40000000)
#define TIMER0_VALUE BOARD_REGISTER(0x40000004)
#define TIMER0_RELOAD BOARD_REGISTER(0x40000008)
#define TIMER0_INTERRUPT BOARD_REGISTER(0x4000000c)
enum { TIMER_ON = 1 << 0, TIMER_INTERRUPT_ON = 1 << 3 };

/* The watchdog: a CMSDK watchdog. Its first end is an NMI, its second a reset. */
#define WATCHDOG_LOAD BOARD_REGISTER(0x40008000)
#define WATCHDOG_CONTROL BOARD_REGISTER(0x40008008)
#define WATCHDOG_CLEAR BOARD_REGISTER(0x4000800c)
#define WATCHDOG_LOCK BOARD_REGISTER(0x40008c00)
enum { WATCHDOG_INTERRUPT_ON = 1 << 0, WATCHDOG_RESET_ON = 1 << 1, WATCHDOG_KEY = 0x1acce551 };

/* FPGAIO: a counter with a divider in front of it, which runs on whatever the processor does. */
#define FPGAIO_PRESCALE BOARD_REGISTER(0x4002801c)
#define FPGAIO_COUNTER BOARD_REGISTER(0x40028018)

/* The I2C bus of shield 1: two pins, driven and read by software. */
#define I2C_PINS BOARD_REGISTER(0x4002a000)
#define I2C_RELEASE BOARD_REGISTER(0x4002a000)
#define I2C_PULL_LOW BOARD_REGISTER(0x4002a004)
enum { I2C_CLOCK = 1 << 0, I2C_DATA = 1 << 1 };

#endif
