/*
 * The page of flash that the factory programs, apart from the firmware: the device's configuration and whom it
 * trusts. All numbers are little-endian:
 *
 *   "PGFP", u32 bytes that follow, u32 CRC-32 of them, and then
 *   u32 size of device.json, device.json
 *   u16 number of certificate authorities; of each:
 *     u16 size, the subject's name in DER
 *     u8 kind 1 (RSA): u16 size, modulus; u16 size, exponent
 *     u8 kind 2 (EC):  u8 curve (BearSSL's number: 23 is P-256, 24 is P-384); u16 size, the point
 *   u16 size, where updates come from (update.h): https:// and what follows, ended by a 0; a 0 alone for nowhere
 *
 * targets/workbench/board/factory-page.ts writes it.
 */
#ifndef PICOGRANT_BOARD_FACTORY_H
#define PICOGRANT_BOARD_FACTORY_H

#include <stddef.h>

#include "settings.h"
#include "tls.h"

/*
 * Reads the page. `trust` and `*updates` point into flash, the texts of `*settings` into memory of this file.
 * @return NULL, or what is wrong with the page
 */
const char *factory_open(const struct pg_settings **settings, struct board_trust *trust,
                         const char **updates);

#endif
