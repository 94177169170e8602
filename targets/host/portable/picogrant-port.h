/* The functions that every port provides: time, random bytes and a digest; a medium for the two record slots; a
 * display; connections. Each one is a vendor's driver, or a few lines around one. Wipe memory that has contained a
 * secret with pg_wipe. */
#ifndef PICOGRANT_PORT_H
#define PICOGRANT_PORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns milliseconds since an arbitrary moment. The counter must also run while the board sleeps, and wraps at 2^32. */
uint32_t pg_clock_ms(void);

/* Returns seconds since 1970, or 0 if the time is unknown. While it is unknown, a port without wall-clock.h must refuse
 * TLS, because it cannot detect an expired certificate. */
uint32_t pg_clock_wall_s(void);

/* Fills `bytes` with `size` unpredictable random bytes. Returns 1, or 0 if the port has no source of such bytes. */
int pg_random(uint8_t *bytes, size_t size);

enum { PG_SHA256_BYTES = 32 };

/* SHA-256 (FIPS 180-4). Returns 1, or 0 if the port lacks SHA-256. The device then has no code challenges (RFC 7636),
 * and no proofs for API calls (keys.h). */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]);

/*
 * The medium for the two record slots: a file, an EEPROM, or sectors of NOR flash. Erasing sets every byte of a slot to
 * 0xff. Programming writes to erased bytes. Each unit is programmed at most once before it is erased again. All offsets
 * count from the start of the slot.
 *
 * Flash is read, programmed and erased in units. An EEPROM has units of one byte. An STM32 L4 programs 8 bytes at once,
 * an STM32 U5 16 bytes, an STM32 H7 32 bytes, and external NOR a page of 256 bytes. The medium declares its units, and
 * every offset and size in a call is a multiple of the unit. Buffers in RAM may have any address and alignment.
 */

/* The result of a call. After any result except DONE, the affected bytes are undefined. */
enum pg_medium_result {
  PG_MEDIUM_FAILED = 0,  /* the medium does not respond, or reports a failure; the next call may succeed */
  PG_MEDIUM_DONE = 1,
  PG_MEDIUM_CORRUPT = 2, /* reading: ECC reports invalid bits, for example after a power cut during programming */
  PG_MEDIUM_WORN = 3     /* writing: worn out or locked; retrying does not help */
};

/* The longest unit of reading and programming. */
enum { PG_MEDIUM_UNIT_MAX = 256 };

struct pg_medium {
  /* Size of each slot: at least the header (pg_storage_header) and the longest record. */
  uint32_t slot_bytes;
  /* Each function returns an enum pg_medium_result. `slot` is 0 or 1, and `context` is the member of that name. */
  int (*read)(void *context, int slot, uint32_t at, uint8_t *into, size_t size);
  /* The bytes must be durable when the function returns DONE. */
  int (*program)(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size);
  int (*erase)(void *context, int slot);
  /* The first argument of each function, for programs with several media. */
  void *context;
  /* The units in bytes: powers of two, 1 to PG_MEDIUM_UNIT_MAX; 0 means 1. `slot_bytes` is a multiple of both. */
  uint16_t read_unit;
  uint16_t program_unit;
};

/* A character display. A port with several displays defines the struct. In a port with one, the pointer may be NULL. */
struct pg_display;

/* Shows a frame of columns * rows character codes, row by row: 32..126, and 128..255 only in the developer's own texts.
 * The bytes are valid during the call. The port handles failures of the display, and the device continues.
 * @param display the member of struct pg_host_parts */
void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows);

/*
 * A connection to one server over TCP. If `is_secure` is 1, TLS 1.2 or later runs over TCP, and checks the
 * certificate's chain, name and time. No function here waits. pg_connection_work, sending and receiving advance the
 * connection.
 *
 * Each device has a struct pg_connection, which the port defines and owns. It is used for one connection after the other.
 * If a port's TLS has memory for only one connection, starting a second one fails.
 *
 * The port owns the buffers, and wipes them in pg_connection_end: requests contain secrets, and responses contain
 * tokens. If connections stay open (host.h), the port wipes sent data at once, and received data when
 * pg_connection_receive returns NOTHING.
 */

struct pg_connection;

/* The server to connect to. Valid only during pg_connection_start. */
struct pg_peer {
  const char *host; /* a name, an IPv4 address, or an IPv6 address without brackets; not ended by a 0 */
  size_t host_size;
  uint16_t port;
  int is_secure; /* 1: TLS. 0: unencrypted, only to this device itself, or with `allow_http` */
};

enum pg_connection_state {
  PG_CONNECTION_OPENING = 0,
  PG_CONNECTION_OPEN = 1,  /* bytes can be sent and received; the server's certificate is valid */
  PG_CONNECTION_FAILED = 2 /* no connection, or an invalid certificate */
};

/* The results of pg_connection_receive if there are no bytes. */
enum { PG_CONNECTION_NOTHING = 0, PG_CONNECTION_ENDED = -1, PG_CONNECTION_BROKEN = -2 };

/* Starts to connect, and ends the previous connection.
 * @param trust the trusted authorities in the port's own format, from struct pg_host_parts
 * @return 1, or 0 if the connection cannot start; pg_connection_end is then not needed */
int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust);

/* Advances the connection as far as possible without waiting. */
enum pg_connection_state pg_connection_work(struct pg_connection *connection);

/* Takes bytes to send on an open connection. They may stay in a buffer until pg_connection_flush.
 * @return how many were taken, 0 if the buffer is full, -1 if the connection is broken */
int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size);

/* Sends the bytes that were taken. Returns 1 if the network has all of them, 0 if not yet, -1 if broken. */
int pg_connection_flush(struct pg_connection *connection);

/* Receives bytes, at most 32767. `*bytes` points into the port's buffer until the next call for this connection.
 * @return the number of bytes; NOTHING if none have arrived; ENDED if the server has closed the connection properly,
 * over TLS with a close_notify; BROKEN after any other end */
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes);

/* Returns why the connection has failed, or what it waits for, for the display (PG_REASON_*). Valid until
 * pg_connection_end. */
int pg_connection_reason(struct pg_connection *connection);

/* Ends the connection, if there is one, and wipes its buffers. */
void pg_connection_end(struct pg_connection *connection);

/* Overwrites secrets in a way that no compiler can optimize away. */
static inline void pg_wipe(void *bytes, size_t size) {
  volatile unsigned char *at = (volatile unsigned char *)bytes;
  while (size-- > 0) *at++ = 0;
}

#ifdef __cplusplus
}
#endif

#endif
