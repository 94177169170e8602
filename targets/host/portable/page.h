/*
 * A settings page contains the developer's settings of one device, and is stored outside the firmware's image. The
 * command `picogrant configure --page` writes it (targets/command/page-format.ts), and the factory or an updater stores
 * it in one of two areas. The settings point into the page, where texts end with a 0. All numbers are little-endian:
 *
 *   "PGS1", u32 size of the rest, u32 CRC-32 of the rest, and then
 *   u32 time at which the page was made, seconds since 1970
 *   numbers, a u32 each, in the order of enum pg_page_number
 *   texts, in the order of enum pg_page_text: UTF-8, each ended by a 0; addresses are https, or http to this device
 *   u8 size, the random seed; u8 size, the key for encrypting records: each of size 0 if there is none
 *   u16 number of certificate authorities, 0 if the device trusts nobody; for each of them:
 *     u16 size, the certificate in DER
 *     u8 curve: 0 for RSA, or BearSSL's number (23 is P-256, 24 is P-384)
 *     the positions in the certificate that a board needs, u16 offset and u16 size each: the subject's name;
 *     the modulus, or the point; the exponent, or 0 and 0
 *   only if the page names a time server or requires a key, a text: the time server's name or IPv4 address, ended by a 0
 *   only if the page requires a key (keys.h), u8: 1 for DPoP, plus 2 for private_key_jwt with the
 *     issuer as audience, or 4 with the token endpoint; u8 size, the private key
 *
 * The page is not signed: anyone who can write it controls the device's settings.
 */
#ifndef PICOGRANT_PAGE_H
#define PICOGRANT_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PG_PAGE_BYTES = 16384, PG_PAGE_HEAD = 12, PG_PAGE_AUTHORITIES = 8, PG_PAGE_AREAS = 2 };

enum pg_page_number {
  PG_PAGE_COLUMNS,
  PG_PAGE_ROWS,
  PG_PAGE_MEMORY_BYTES,
  PG_PAGE_CONNECT_SECONDS,
  PG_PAGE_EXCHANGE_SECONDS,
  PG_PAGE_RESPONSE_BYTES,
  PG_PAGE_RENEWALS,
  PG_PAGE_START_SPREAD_MS,
  PG_PAGE_AUTO_START,
  PG_PAGE_CLIENT_AUTHENTICATION,
  PG_PAGE_PKCE,
  PG_PAGE_JSON_BODIES,
  PG_PAGE_NUMBERS
};

enum pg_page_text {
  PG_PAGE_CLIENT_ID,
  PG_PAGE_CLIENT_SECRET,
  PG_PAGE_SCOPE,
  PG_PAGE_DEVICE_PARAMETERS,
  PG_PAGE_TOKEN_PARAMETERS,
  PG_PAGE_MESSAGES,
  PG_PAGE_REASONS,
  PG_PAGE_SERVER,
  PG_PAGE_USER_AGENT,
  PG_PAGE_GRANT_HEADERS,
  PG_PAGE_RESOURCE_HEADERS,
  PG_PAGE_DIRECTORY, /* the folder in which a host with files stores its records; "" on a board */
  PG_PAGE_ADDRESS,   /* the first of PG_ADDRESS_COUNT addresses */
  PG_PAGE_TEXTS = PG_PAGE_ADDRESS + PG_ADDRESS_COUNT
};

struct pg_page_bytes {
  const uint8_t *bytes;
  size_t size;
};

struct pg_page_authority {
  struct pg_page_bytes certificate;
  int curve; /* 0: RSA; otherwise BearSSL's number */
  struct pg_page_bytes name;
  struct pg_page_bytes key; /* the public key: modulus or point */
  struct pg_page_bytes exponent;
};

/* A parsed settings page. Its texts and ranges point into the page's bytes. */
struct pg_page {
  struct pg_settings settings;
  const char *directory;
  struct pg_page_bytes seed; /* the first random bytes of a device without a random number generator */
  struct pg_page_bytes key;  /* a key for a medium that encrypts records; this host's media do not */
  uint32_t made_s;
  struct pg_page_authority authorities[PG_PAGE_AUTHORITIES];
  size_t authority_count;
  const char *time_server; /* the time server of a board that does not know the time; "": none */
#ifdef PG_KEYS
  struct pg_page_bytes signing_key; /* the device's private key; size 0: the port stores it elsewhere */
#endif
};

enum pg_page_result { PG_PAGE_OK, PG_PAGE_EMPTY, PG_PAGE_DAMAGED, PG_PAGE_MALFORMED };

/* Returns the problem as a predicate for a log, such as "is damaged". */
const char *pg_page_problem(enum pg_page_result result);

/* CRC-32 (IEEE 802.3), as in the page's header. */
uint32_t pg_page_checksum(const uint8_t *bytes, size_t size);

/* Reads the page at the start of an area of `size` bytes. The area is empty if its first bytes are 0xff, or if `size`
 * is 0. If the result is not PG_PAGE_OK, `page` must not be used.
 * @param memory_max the memory that the firmware has for the device */
enum pg_page_result pg_page_read(struct pg_page *page, const uint8_t *bytes, size_t size, int memory_max);

/* Chooses the newer valid page of two areas. An updater must write to the area that is not in use: if the write fails,
 * the valid page is still there.
 * @param results the result of reading each area
 * @return the chosen area; -1 if neither page is valid, and `page` must not be used */
int pg_page_choose(struct pg_page *page, const struct pg_page_bytes areas[PG_PAGE_AREAS], int memory_max,
                   enum pg_page_result results[PG_PAGE_AREAS]);

#ifdef __cplusplus
}
#endif

#endif
