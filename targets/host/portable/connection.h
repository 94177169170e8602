/*
 * One connection to one server, which every port brings: TCP, and over it TLS 1.2 or later with the
 * certificate's chain, its name and its time checked. Nothing here waits; what moves is moved by
 * pg_connection_work, and by sending and receiving.
 *
 * Every device has a struct pg_connection, which goes through one connection after the other. What is in it is the
 * port's affair, and so is who makes it and until when; a port whose TLS has room for one at a time lets a second one
 * fail to start.
 *
 * The port owns the buffers and wipes them in pg_connection_end: requests hold secrets, answers tokens.
 */
#ifndef PICOGRANT_CONNECTION_H
#define PICOGRANT_CONNECTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
