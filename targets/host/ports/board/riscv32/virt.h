/* The registers of qemu's machine virt that are used; for a microcontroller this is the vendor's header. */
#ifndef PICOGRANT_BOARD_VIRT_H
#define PICOGRANT_BOARD_VIRT_H

#include <stdint.h>

/* The assembler's: instructions on control registers are an extension by now, with libraries of no name of their own. */
__asm__(".option arch, +zicsr");

#define BOARD_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define BOARD_BYTE(address) (*(volatile uint8_t *)(uintptr_t)(address))

/* The timer counts at this rate, whatever the processor does. */
enum { TIMER_HZ = 10000000 };
#define TIMER_LOW BOARD_REGISTER(0x0200bff8)
#define TIMER_HIGH BOARD_REGISTER(0x0200bffc)
#define TIMER_COMPARE_LOW BOARD_REGISTER(0x02004000)
#define TIMER_COMPARE_HIGH BOARD_REGISTER(0x02004004)

/* The machine's end, and its new beginning. */
#define TEST_DEVICE BOARD_REGISTER(0x00100000)
enum { TEST_RESET = 0x7777 };

/* A clock that the emulator keeps: nanoseconds since 1970. Reading the low half keeps the high one. */
#define CLOCK_LOW BOARD_REGISTER(0x00101000)
#define CLOCK_HIGH BOARD_REGISTER(0x00101004)

/* The interrupt controller, for the first processor in machine mode. */
#define PLIC_PRIORITY(irq) BOARD_REGISTER(0x0c000000 + 4 * (irq))
#define PLIC_ENABLE BOARD_REGISTER(0x0c002000)
#define PLIC_THRESHOLD BOARD_REGISTER(0x0c200000)
#define PLIC_CLAIM BOARD_REGISTER(0x0c200004)
enum { IRQ_VIRTIO_FIRST = 1, IRQ_UART = 10 };

/* A 16550. */
#define UART_DATA BOARD_BYTE(0x10000000)
#define UART_INTERRUPTS BOARD_BYTE(0x10000001)
#define UART_FIFO BOARD_BYTE(0x10000002)
#define UART_STATE BOARD_BYTE(0x10000005)
enum { UART_HAS_INPUT = 1 << 0, UART_TX_EMPTY = 1 << 5, UART_RX_INTERRUPT_ON = 1 << 0, UART_FIFO_ON = 1 << 0 };

/* Eight places for devices of virtio. */
#define VIRTIO(place, offset) BOARD_REGISTER(0x10001000 + 0x1000 * (place) + (offset))
enum { VIRTIO_PLACES = 8 };

/* Bits of mstatus, mie and mcause. */
#define MSTATUS_MIE 8u
enum { MIE_TIMER = 1 << 7, MIE_EXTERNAL = 1 << 11 };
#define MCAUSE_INTERRUPT 0x80000000u

static inline void board_enable(int irq) {
  PLIC_PRIORITY(irq) = 1;
  PLIC_ENABLE |= 1u << irq;
}

#endif
