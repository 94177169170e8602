/*
 * The board's memory map: for the linker's scripts, which are preprocessed, and for C. A real microcontroller
 * changes the numbers. Firmware and loader agree on all of it, which is why an image's ABI names its version
 * (loader/slots.c).
 */
#ifndef PICOGRANT_BOARD_MAP_H
#define PICOGRANT_BOARD_MAP_H

/* The board's name and the version of this map. */
#define MAP_NAME "mps2-an385-2"

/* Flash that is programmed in the factory alone: the loader, its page, and the page of the configuration. */
#define MAP_LOADER_AT 0x00000000
#define MAP_LOADER_BYTES 0x10000
/* Behind the loader's vectors: 64 bytes and 4 for each interrupt. */
#define MAP_SERVICES_OFFSET 0x100
#define MAP_LOADER_PAGE_AT 0x0007f000
#define MAP_FACTORY_PAGE_AT 0x00080000
#define MAP_FACTORY_PAGE_BYTES 0x4000

/* RAM. Behind what the firmware uses: what the loader keeps while the firmware runs, and the handed-in seed. */
#define MAP_RAM_AT 0x20000000
#define MAP_RAM_BYTES 0x2fe00
#define MAP_KEPT_AT 0x2002fe00
#define MAP_KEPT_BYTES 0x1c0
#define MAP_SEED_AT 0x2002ffc0
#define MAP_SEED_BYTES 64

/* Flash that the board writes itself: the two copies of the boot record, a sector each, and slots. */
#define MAP_FLASH_AT 0x21000000
#define MAP_SECTOR_BYTES 0x1000
#define MAP_RECORD_0_AT 0x21000000
#define MAP_RECORD_1_AT 0x21001000
#define MAP_SLOT_A_AT 0x21010000
#define MAP_SLOT_B_AT 0x21060000
#define MAP_SLOT_BYTES 0x50000
/* What the maker sets later than the factory (factory.h), signed: two slots of its own. */
#define MAP_SETTINGS_0_AT 0x210b0000
#define MAP_SETTINGS_1_AT 0x210b4000
#define MAP_SETTINGS_BYTES 0x4000
#define MAP_FLASH_END 0x210b8000

/*
 * An image's payload begins behind the header; its vectors where a Cortex-M can have them: at a power of two that
 * is no less than their size, 512 for up to 112 interrupts. The slots begin at a multiple of it.
 */
#define MAP_IMAGE_HEADER_BYTES 0xf0
#define MAP_VECTORS_OFFSET 0x100

/* Of the emulated flash alone (loader/flash.c): what a test asks of it. */
#define MAP_FLASH_TEST_AT 0x21fff000

#endif
