/* Registers of the LM3S6965 (see TI's data sheet) that are used here, as in qemu's machine lm3s6965evb. For another
 * microcontroller, use the vendor's header instead. */
#ifndef PICOGRANT_BOARD_REGISTERS_H
#define PICOGRANT_BOARD_REGISTERS_H

#include "cortex-m.h"

enum { BOARD_CLOCK_HZ = 25000000 };

/* Interrupts by their numbers in the NVIC. */
enum { IRQ_UART0_RX = 5, IRQ_WATCHDOG = 18, IRQ_TIMER0 = 19, IRQ_ETHERNET = 42, IRQ_COUNT = 44 };

/* The registers of the system: the clock, which parts are clocked, and the MAC address, with three bytes in each word. */
#define SYSTEM_STATE BOARD_REGISTER(0x400fe050)
#define SYSTEM_CLOCK BOARD_REGISTER(0x400fe060)
#define SYSTEM_PARTS_0 BOARD_REGISTER(0x400fe100)
#define SYSTEM_PARTS_1 BOARD_REGISTER(0x400fe104)
#define SYSTEM_PARTS_2 BOARD_REGISTER(0x400fe108)
#define SYSTEM_MAC_LOW BOARD_REGISTER(0x400fe1e0)
#define SYSTEM_MAC_HIGH BOARD_REGISTER(0x400fe1e4)
enum {
  PLL_IS_LOCKED = 1 << 6,
  /* CLOCK_OF_PLL divides the PLL's 200 MHz by 8; the crystal has 8 MHz. CLOCK_PAST_PLL is used until the PLL is stable. */
  CLOCK_OF_PLL = 7 << 23 | 1 << 22 | 14 << 6 | 1 << 1,
  CLOCK_PAST_PLL = CLOCK_OF_PLL | 1 << 11,
  PARTS_0_WATCHDOG = 1 << 3,
  PARTS_1_UART = 1 << 0,
  PARTS_1_SSI = 1 << 4,
  PARTS_1_TIMER = 1 << 16,
  PARTS_2_PORTS = 1 << 0 | 1 << 2 | 1 << 3,
  PARTS_2_ETHERNET = 1 << 28 | 1 << 30
};

/* GPIO ports. `pins` selects the pins that are read and written. */
enum { PORT_A = 0x40004000, PORT_C = 0x40006000, PORT_D = 0x40007000 };
#define PORT_PINS(port, pins) BOARD_REGISTER((port) + 4 * (pins))
#define PORT_IS_OUT(port) BOARD_REGISTER((port) + 0x400)
#define PORT_IS_OF_PART(port) BOARD_REGISTER((port) + 0x420)
#define PORT_IS_DIGITAL(port) BOARD_REGISTER((port) + 0x51c)
/* Pins of port A: two for the UART, and three for the SSI. The chips on the SSI have their own select pins. */
enum { PINS_OF_UART = 0x03, PINS_OF_SSI = 0x34 };
/* PIN_A_PANEL selects the display, and PIN_D_CARD selects the SD card (both active low). PIN_C_DATA is 1 for the
 * display's data, and 0 for its commands. */
enum { PIN_A_PANEL = 1 << 3, PIN_C_DATA = 1 << 7, PIN_D_CARD = 1 << 0 };

/* UART0 is a PL011. */
#define UART0_DATA BOARD_REGISTER(0x4000c000)
#define UART0_STATE BOARD_REGISTER(0x4000c018)
#define UART0_DIVIDER BOARD_REGISTER(0x4000c024)
#define UART0_DIVIDER_64TH BOARD_REGISTER(0x4000c028)
#define UART0_LINE BOARD_REGISTER(0x4000c02c)
#define UART0_CONTROL BOARD_REGISTER(0x4000c030)
#define UART0_INTERRUPTS_ON BOARD_REGISTER(0x4000c038)
#define UART0_INTERRUPT BOARD_REGISTER(0x4000c044)
enum {
  UART_RX_EMPTY = 1 << 4,
  UART_TX_FULL = 1 << 5,
  UART_8_BITS = 3 << 5,
  UART_ON = 1 << 0 | 1 << 8 | 1 << 9,
  UART_RX_INTERRUPT = 1 << 4
};

/* Timer 0, as one 32-bit timer that counts down once. */
#define TIMER0_CONFIGURATION BOARD_REGISTER(0x40030000)
#define TIMER0_MODE BOARD_REGISTER(0x40030004)
#define TIMER0_CONTROL BOARD_REGISTER(0x4003000c)
#define TIMER0_INTERRUPTS_ON BOARD_REGISTER(0x40030018)
#define TIMER0_INTERRUPT BOARD_REGISTER(0x40030024)
#define TIMER0_RELOAD BOARD_REGISTER(0x40030028)
enum { TIMER_ON = 1 << 0, TIMER_ONCE = 1, TIMER_INTERRUPT = 1 << 0 };

/* The watchdog. Its first timeout is an interrupt, its second one a reset. */
#define WATCHDOG_LOAD BOARD_REGISTER(0x40000000)
#define WATCHDOG_CONTROL BOARD_REGISTER(0x40000008)
#define WATCHDOG_CLEAR BOARD_REGISTER(0x4000000c)
enum { WATCHDOG_INTERRUPT_ON = 1 << 0, WATCHDOG_RESET_ON = 1 << 1 };

/* The SSI is a PL022. */
#define SSI_FORMAT BOARD_REGISTER(0x40008000)
#define SSI_CONTROL BOARD_REGISTER(0x40008004)
#define SSI_DATA BOARD_REGISTER(0x40008008)
#define SSI_STATE BOARD_REGISTER(0x4000800c)
#define SSI_PRESCALE BOARD_REGISTER(0x40008010)
enum { SSI_8_BITS = 7, SSI_DIVIDER_SHIFT = 8, SSI_ON = 1 << 1, SSI_RX_HAS_BYTE = 1 << 2 };

/* ssi.c: the bus. It receives a byte for each byte that it sends. */
void board_ssi_open(void);
uint8_t board_ssi_byte(uint8_t byte);

#endif
