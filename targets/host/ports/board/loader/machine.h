/*
 * What the boot loader asks of the machine beside its UART, its watchdog and its flash: each machine's folder has it in
 * loader-start.c, where its first instructions are too. They make memory as C expects it and call loader_main.
 */
#ifndef PICOGRANT_BOARD_LOADER_MACHINE_H
#define PICOGRANT_BOARD_LOADER_MACHINE_H

#include <stdint.h>

void loader_main(void);

/* No interrupt comes any more: keys wait in the UART for the firmware. */
void loader_quiet(void);

/* Starts the firmware that lies behind an image's header. Does not come back. */
void loader_run(const uint8_t *code);

/* Stands still until the watchdog's end, or for ever. */
void loader_rest(void);

#endif
