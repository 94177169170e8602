/*
 * Where a Cortex-M3 begins: the top of the stack, and newlib's own start, which asks the emulator for arguments, files
 * and the terminal. Only for test programs on QEMU's mps2-an385, whose memory begins at 0.
 */
#include <stdint.h>

extern void _start(void);

enum { STACK_TOP = 0x3ff000 };

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[] = {STACK_TOP,
                                                                               (uintptr_t)_start};
