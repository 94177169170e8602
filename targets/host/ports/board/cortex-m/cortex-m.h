/* Registers of the Cortex-M3 and of larger Cortex-M processors with an MPU. For another microcontroller, use the vendor's
 * CMSIS header instead. */
#ifndef PICOGRANT_BOARD_CORTEX_M_H
#define PICOGRANT_BOARD_CORTEX_M_H

#include <stdint.h>

#define BOARD_REGISTER(address) (*(volatile uint32_t *)(address))

/* Enables an interrupt by its number in the NVIC. */
static inline void board_irq_on(unsigned number) {
  BOARD_REGISTER(0xe000e100 + number / 32 * 4) = 1u << number % 32;
}
static inline void board_irq_off(unsigned number) {
  BOARD_REGISTER(0xe000e180 + number / 32 * 4) = 1u << number % 32;
}
static inline void board_irq_discard(unsigned number) {
  BOARD_REGISTER(0xe000e280 + number / 32 * 4) = 1u << number % 32;
}

/* SysTick counts down 24 bits at the processor's clock. */
#define SYSTICK_CONTROL BOARD_REGISTER(0xe000e010)
#define SYSTICK_RELOAD BOARD_REGISTER(0xe000e014)
#define SYSTICK_VALUE BOARD_REGISTER(0xe000e018)
enum { SYSTICK_ON = 7 /* on, with interrupt */ };
void board_on_tick(void); /* each machine that uses SysTick defines this function */

#define SCB_RESET_CONTROL BOARD_REGISTER(0xe000ed0c)
#define SCB_FAULT_STATUS BOARD_REGISTER(0xe000ed28)
#define SCB_INTERRUPT_STATE BOARD_REGISTER(0xe000ed04)
enum { SCB_TICK_IS_PENDING = 1 << 26 };
enum { SCB_RESET_REQUEST = 0x05fa0004 };
#define MPU_CONTROL BOARD_REGISTER(0xe000ed94)
#define MPU_REGION BOARD_REGISTER(0xe000ed98)
#define MPU_BASE BOARD_REGISTER(0xe000ed9c)
#define MPU_ATTRIBUTES BOARD_REGISTER(0xe000eda0)
enum {
  MPU_ON = 1 << 0,
  MPU_DEFAULT_MAP = 1 << 2,
  MPU_REGION_ON = 1 << 0,
  MPU_NO_EXECUTION = 1 << 28, /* a region with this bit and no access bits is neither executable nor readable nor writable */
  MPU_GUARD_BITS = 20         /* a region of 1 MiB */
};

#endif
