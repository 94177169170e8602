/* The board's memory map, for C and for board.ld. */
#ifndef PICOGRANT_BOARD_MAP_H
#define PICOGRANT_BOARD_MAP_H

#define MAP_NAME "lm3s6965evb"

#define MAP_FIRMWARE_AT 0x00000000
#define MAP_FIRMWARE_BYTES 0x3c000

/* The two areas for settings pages (page.h). Flash is erased in units of 1 KiB. */
#define MAP_PAGE_0_AT 0x3c000
#define MAP_PAGE_1_AT 0x3e000
#define MAP_PAGE_BYTES 0x2000

/* The unit in which records are written: a block of an SD card. */
#define MAP_EEPROM_PAGE 512

#define MAP_RAM_AT 0x20000000
#define MAP_RAM_BYTES 0x10000

#endif
