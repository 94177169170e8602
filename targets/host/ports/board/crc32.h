/* CRC-32 (IEEE 802.3), for pages that the factory programs. */
#ifndef PICOGRANT_BOARD_CRC32_H
#define PICOGRANT_BOARD_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const uint8_t *bytes, size_t size);

#endif
