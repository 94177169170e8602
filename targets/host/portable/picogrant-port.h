/*
 * What every port provides: time, random bytes and a digest; a medium for the two record slots; a display; connections.
 * Each is a vendor's driver, or a few lines around one. Overwrite memory that has held a secret with pg_wipe.
 */
#ifndef PICOGRANT_PORT_H
#define PICOGRANT_PORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds since any moment, also counting while the board sleeps; wraps at 2^32. */
uint32_t pg_clock_ms(void);

/*
 * Seconds since 1970, or 0 if unknown: then TLS must be refused, because an expired certificate could not be detected.
 */
uint32_t pg_clock_wall_s(void);

/* Fills `bytes` with `size` unpredictable random bytes. 1, or 0 without such a source. */
int pg_random(uint8_t *bytes, size_t size);

enum { PG_SHA256_BYTES = 32 };

/* SHA-256 (FIPS 180-4). 1, or 0 if the port has none: then there are no code challenges (RFC 7636). */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]);

/*
 * The medium of the two record slots: a file, an EEPROM, sectors of NOR flash. Erasing makes every byte of a slot 0xff;
 * programming writes erased bytes, each unit of them once. All offsets count from the start of the slot.
 *
 * Flash is read, programmed and erased in units: an EEPROM in bytes; an STM32 L4 programs 8 bytes at once, a U5 16, an
 * H7 32, a page of external NOR 256. The medium declares its units, and callers obey them: every offset and size is a
 * multiple of the unit. The location and alignment of the bytes in RAM are arbitrary.
 */

/* The result of a call. After anything but DONE, the affected bytes are undefined. */
enum pg_medium_result {
  PG_MEDIUM_FAILED = 0,  /* the medium does not respond, or reports a failure; the next call may succeed */
  PG_MEDIUM_DONE = 1,
  PG_MEDIUM_CORRUPT = 2, /* reading: the bits there are none (ECC), as after a cut in the middle of programming */
  PG_MEDIUM_WORN = 3     /* writing: worn out or locked; trying again does not help */
};

/* The longest unit of reading and programming. */
enum { PG_MEDIUM_UNIT_MAX = 256 };

struct pg_medium {
  /* Bytes of each slot: the header (pg_storage_header) and the longest record. */
  uint32_t slot_bytes;
  /* Each returns an enum pg_medium_result; `slot` is 0 or 1, `context` the one below. */
  int (*read)(void *context, int slot, uint32_t at, uint8_t *into, size_t size);
  /* Durable once it returns DONE. */
  int (*program)(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size);
  int (*erase)(void *context, int slot);
  /* Passed to each call: for several media of a kind in one program. */
  void *context;
  /* Powers of two, 1 to PG_MEDIUM_UNIT_MAX; 0 means 1. A slot is a whole number of each. */
  uint16_t read_unit;
  uint16_t program_unit;
};

/* A character display, which the port defines. A port with a single display may leave it undefined, and gets NULL. */
struct pg_display;

/*
 * Shows a frame of columns * rows character codes, row by row: 32..126, and 128..255 only from the developer's own
 * texts. The bytes are the caller's, and valid during the call. The port handles failures of the display: the device
 * continues.
 * @param display the one of struct pg_host_parts
 */
void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows);

/*
 * A connection to one server: TCP, and over it TLS 1.2 or later with the certificate's chain, its name and its time
 * checked. Nothing here waits; pg_connection_work, sending and receiving advance it.
 *
 * Each device has a struct pg_connection, which the port defines and owns, for one connection after the other. A port
 * whose TLS has memory for one at a time lets a second one fail to start.
 *
 * The port owns the buffers and wipes them in pg_connection_end: requests contain secrets, responses tokens. For kept
 * connections (host.h), it wipes sent data as soon as it is on its way, and received data once there is NOTHING more.
 */

struct pg_connection;

/* The server to connect to; valid during pg_connection_start only. */
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

/* Results of pg_connection_receive besides a number of bytes. */
enum { PG_CONNECTION_NOTHING = 0, PG_CONNECTION_ENDED = -1, PG_CONNECTION_BROKEN = -2 };

/*
 * Starts to connect. Ends the previous connection.
 * @param trust the trusted authorities in the port's own form: passed on from struct pg_host_parts
 * @return 1, or 0 if it cannot start; then pg_connection_end is not needed
 */
int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust);

/* Advances the connection as far as possible without waiting. */
enum pg_connection_state pg_connection_work(struct pg_connection *connection);

/*
 * Takes bytes to send, on an open connection. They may stay in a buffer until pg_connection_flush.
 * @return how many were taken, 0 if the buffer is full, -1 if the connection is broken
 */
int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size);

/* Sends what was taken. 1: everything is on its way; 0: not yet, call again; -1: broken. */
int pg_connection_flush(struct pg_connection *connection);

/*
 * Received bytes, at most 32767. `*bytes` points into the port's buffer, valid until the next call for this connection;
 * they count as taken.
 * @return the number of bytes; or NOTHING now; ENDED properly, over TLS by a close_notify; BROKEN
 */
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes);

/*
 * Why the connection has failed, or what it waits for, for the display: PG_REASON_*, or PG_REASON_NONE. Valid until
 * pg_connection_end.
 */
int pg_connection_reason(struct pg_connection *connection);

/* Ends the connection, if there is one, and wipes its buffers. */
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
