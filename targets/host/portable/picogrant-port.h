/*
 * What every port brings: time, chance and a digest; a medium for the two record slots; a display; connections. Any of
 * them is a vendor's driver, or a few lines around one. What has held a secret is overwritten with pg_wipe.
 */
#ifndef PICOGRANT_PORT_H
#define PICOGRANT_PORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds since any moment, going on while the board sleeps; wraps at 2^32. */
uint32_t pg_clock_ms(void);

/* Seconds since 1970, or 0 if unknown: then TLS must be refused, because nobody could tell an expired certificate. */
uint32_t pg_clock_wall_s(void);

/* Fills `bytes` with `size` random bytes that nobody can guess. 1, or 0 if there is no such source. */
int pg_random(uint8_t *bytes, size_t size);

enum { PG_SHA256_BYTES = 32 };

/* SHA-256 (FIPS 180-4). 1, or 0 if the port has none: then there are no code challenges (RFC 7636). */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]);

/*
 * The medium: what the two record slots lie on, a file, an EEPROM, sectors of NOR flash.
 * Erasing makes every byte of a slot 0xff; programming writes bytes that are erased, each unit of them once.
 * All offsets count from the start of the slot.
 *
 * Flash is read, programmed and erased in units: an EEPROM in bytes, an STM32 L4 programs 8 bytes at once, a U5
 * 16, an H7 32, a page of external NOR 256. The medium says which, and whoever uses it keeps to that: every offset
 * and size of a call is a multiple of the unit. Where the bytes lie in RAM, and how they are aligned there, is open.
 */

/* How a call ended. After anything but DONE nothing is known of the bytes that it was about. */
enum pg_medium_result {
  PG_MEDIUM_FAILED = 0,  /* the medium does not answer, or says that it could not; the next call may succeed */
  PG_MEDIUM_DONE = 1,
  PG_MEDIUM_CORRUPT = 2, /* reading: the bits there are none (ECC), as after a cut in the middle of programming */
  PG_MEDIUM_WORN = 3     /* writing: worn out or locked; trying again does not help */
};

/* The longest unit of reading and programming. */
enum { PG_MEDIUM_UNIT_MAX = 256 };

struct pg_medium {
  /* Bytes of each slot: the header, pg_storage_header of them, and the longest record. */
  uint32_t slot_bytes;
  /* Each returns an enum pg_medium_result; `slot` is 0 or 1, `context` the one below. */
  int (*read)(void *context, int slot, uint32_t at, uint8_t *into, size_t size);
  /* Durable once it returns DONE. */
  int (*program)(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size);
  int (*erase)(void *context, int slot);
  /* Handed to each call: where one program has several media of a kind. */
  void *context;
  /* Powers of two, 1 to PG_MEDIUM_UNIT_MAX; 0 means 1. A slot is a whole number of each. */
  uint16_t read_unit;
  uint16_t program_unit;
};

/* A character display, as the port defines it. A port that has a single display need not define it, and gets NULL. */
struct pg_display;

/*
 * Shows a frame of columns * rows character codes, row by row: 32..126, and 128..255 only of texts of the maker's own.
 * The bytes stay the caller's, and are good for this call only. What goes wrong with the display is the port's own affair: the device goes on.
 * @param display what struct pg_host_parts has
 */
void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows);

/*
 * A connection to one server: TCP, and over it TLS 1.2 or later with the
 * certificate's chain, its name and its time checked. Nothing here waits; what moves is moved by
 * pg_connection_work, and by sending and receiving.
 *
 * Each device has a struct pg_connection, which the port defines and owns, for one connection after the other. A port
 * whose TLS has room for one at a time lets a second one fail to start.
 *
 * The port owns the buffers and wipes them in pg_connection_end: requests hold secrets, answers tokens. Where connections are
 * kept (host.h), what is sent is wiped as soon as it is on its way, and what has come once there is NOTHING more.
 */

struct pg_connection;

/* Whom to connect to; good for the call of pg_connection_start only. */
struct pg_peer {
  const char *host; /* a name, an IPv4 address, or an IPv6 address without brackets; not ended by a 0 */
  size_t host_size;
  uint16_t port;
  int is_secure; /* 1: TLS. 0: clear text, which the configuration allows to this device itself only */
};

enum pg_connection_state {
  PG_CONNECTION_OPENING = 0,
  PG_CONNECTION_OPEN = 1,  /* bytes can go both ways; the peer's certificate has been found good */
  PG_CONNECTION_FAILED = 2 /* no connection, or the peer is not who it should be */
};

/* What pg_connection_receive says besides a number of bytes. */
enum { PG_CONNECTION_NOTHING = 0, PG_CONNECTION_ENDED = -1, PG_CONNECTION_BROKEN = -2 };

/*
 * Begins to connect. What the connection was about before is ended.
 * @param trust whom to trust, in the port's own form: handed through from struct pg_host_parts
 * @return 1, or 0 where it cannot even begin; then pg_connection_end is not needed
 */
int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust);

/* Moves the connection on as far as it goes without waiting. */
enum pg_connection_state pg_connection_work(struct pg_connection *connection);

/*
 * Takes bytes to send, of an open connection. They may stay in a buffer until pg_connection_flush.
 * @return how many were taken, 0 where there is no room now, -1 where the connection is broken
 */
int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size);

/* Sends what was taken. 1: all is on its way; 0: not yet, ask again; -1: broken. */
int pg_connection_flush(struct pg_connection *connection);

/*
 * What has come, at most 32767 bytes. `*bytes` points into the port's buffer, good until the next call for
 * this connection; what is handed over counts as taken.
 * @return the number of bytes; or NOTHING now; ENDED in order, over TLS by a close_notify; BROKEN
 */
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes);

/*
 * Why the connection has failed, or what it waits for, for whoever looks at the display: PG_REASON_*, or
 * PG_REASON_NONE where there is nothing to say. Good until pg_connection_end.
 */
int pg_connection_reason(struct pg_connection *connection);

/* Ends the connection, if there is one, and wipes what it kept. */
void pg_connection_end(struct pg_connection *connection);

/* Overwrites secrets; no compiler may drop the writes. */
static inline void pg_wipe(void *bytes, size_t size) {
  volatile unsigned char *at = (volatile unsigned char *)bytes;
  while (size-- > 0) *at++ = 0;
}

#ifdef __cplusplus
}
#endif

#endif
