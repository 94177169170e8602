/* The board's memory map, for C and for board.ld. For a real microcontroller, change the numbers. */
#ifndef PICOGRANT_BOARD_MAP_H
#define PICOGRANT_BOARD_MAP_H

#define MAP_NAME "mps2-an385"

#define MAP_FIRMWARE_AT 0x00000000
#define MAP_FIRMWARE_BYTES 0x50000

/* The two areas for the settings page (page.h). This flash is erased and written separately from the firmware. */
#define MAP_PAGE_0_AT 0x21000000
#define MAP_PAGE_1_AT 0x21004000
#define MAP_PAGE_BYTES 0x4000

/* The unit in which records are written. */
#define MAP_EEPROM_PAGE 64

#define MAP_RAM_AT 0x20000000
#define MAP_RAM_BYTES 0x30000

#endif
