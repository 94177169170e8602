/*
 * What the maker sets: the page of flash that the factory programs, apart from the firmware, and pages of the same
 * form that come later, signed (settings-update.h). Everything is used where it lies: texts end with a 0. All numbers
 * are little-endian:
 *
 *   "PGF2", u32 bytes that follow, u32 CRC-32 of them, and then
 *   u32 when it was made, seconds since 1970
 *   numbers, a u32 each, in the order of enum factory_number
 *   texts, in the order of enum factory_text: UTF-8, each ended by a 0
 *   u16 number of certificate authorities; of each:
 *     u16 size, the subject's name in DER
 *     u8 kind 1 (RSA): u16 size, modulus; u16 size, exponent
 *     u8 kind 2 (EC):  u8 curve (BearSSL's number: 23 is P-256, 24 is P-384); u16 size, the point
 *
 * A later page need not say everything: the number 0xffffffff, the text of one byte 1, and 0xffff authorities
 * stand for what the factory's page says.
 *
 * targets/image/factory-page.ts writes it.
 */
#ifndef PICOGRANT_BOARD_FACTORY_H
#define PICOGRANT_BOARD_FACTORY_H

#include <stddef.h>
#include <stdint.h>

#include "settings.h"
#include "tls.h"

enum factory_number {
  FACTORY_COLUMNS,
  FACTORY_ROWS,
  FACTORY_MEMORY_BYTES,
  FACTORY_CONNECT_SECONDS,
  FACTORY_EXCHANGE_SECONDS,
  FACTORY_ANSWER_BYTES,
  FACTORY_RENEWALS,
  FACTORY_AUTO_START,
  FACTORY_CLIENT_AUTHENTICATION,
  FACTORY_NUMBERS
};
/* Added to FACTORY_CLIENT_AUTHENTICATION: each code has a code challenge. So the pages of before are read as they are. */
enum {
  FACTORY_PKCE = 256,
  FACTORY_JSON_BODIES = 512 /* parameters of the grant go out as JSON */
};

enum factory_text {
  FACTORY_CLIENT_ID,
  FACTORY_CLIENT_SECRET,
  FACTORY_SCOPE,
  FACTORY_DEVICE_PARAMETERS,
  FACTORY_TOKEN_PARAMETERS,
  FACTORY_MESSAGES,
  FACTORY_REASONS,
  FACTORY_SERVER,
  FACTORY_USER_AGENT,
  FACTORY_GRANT_HEADERS,
  FACTORY_RESOURCE_HEADERS,
  FACTORY_UPDATES,                    /* where updates come from; "": nowhere */
  FACTORY_ADDRESS,                    /* the first of PG_ADDRESS_COUNT */
  FACTORY_TEXTS = FACTORY_ADDRESS + PG_ADDRESS_COUNT
};

/* All of it points into flash, but for what this file keeps. */
struct factory {
  struct pg_settings settings;
  struct board_trust trust;
  const char *updates;
  uint32_t made_s; /* of the newest page */
};

/*
 * Reads the factory's page, and over it a later one of `size` bytes (0: there is none).
 * @return NULL, or what is wrong; a later page that is wrong counts as none, and is said in the log
 */
const char *factory_open(struct factory *factory, const uint8_t *later, size_t size);

#endif
