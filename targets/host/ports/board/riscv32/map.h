/*
 * The memory map of qemu's virt with two chips of NOR flash: for the linker's scripts, which are preprocessed, and for C.
 * A chip cannot be read while it is written. So the loader lies in the first one and writes images into the second,
 * and the firmware, which runs out of the second, keeps its records in the first.
 */
#ifndef PICOGRANT_BOARD_MAP_H
#define PICOGRANT_BOARD_MAP_H

#define MAP_NAME "riscv32-virt-1"

/* The first chip: the loader, its page, the page of the configuration, and the two record slots, a sector each. */
#define MAP_LOADER_AT 0x20000000
#define MAP_LOADER_BYTES 0x20000
#define MAP_SERVICES_OFFSET 0x100
#define MAP_LOADER_PAGE_AT 0x20040000
#define MAP_FACTORY_PAGE_AT 0x20080000
#define MAP_FACTORY_PAGE_BYTES 0x4000
#define MAP_TOKENS_0_AT 0x200c0000
#define MAP_TOKENS_1_AT 0x20100000

#define MAP_RAM_AT 0x80000000
#define MAP_RAM_BYTES 0x2fe00
#define MAP_KEPT_AT 0x8002fe00
#define MAP_KEPT_BYTES 0x200

/* The second chip: the two copies of the boot record, the slots of images, those of settings. */
#define MAP_FLASH_AT 0x22000000
#define MAP_SECTOR_BYTES 0x40000
#define MAP_RECORD_0_AT 0x22000000
#define MAP_RECORD_1_AT 0x22040000
#define MAP_SLOT_A_AT 0x22080000
#define MAP_SLOT_B_AT 0x22100000
#define MAP_SLOT_BYTES 0x80000
#define MAP_SETTINGS_0_AT 0x22180000
#define MAP_SETTINGS_1_AT 0x221c0000
#define MAP_SETTINGS_BYTES 0x4000
#define MAP_FLASH_END 0x22200000

/* The first instruction of an image, behind its header. */
#define MAP_IMAGE_HEADER_BYTES 0xf0
#define MAP_VECTORS_OFFSET 0x100

#endif
