/*
 * The connection: to be written over the board's TCP and TLS. Contract in connection.h, in short: nothing here
 * waits; TLS 1.2 at least, with the certificate's chain, its name and its dates checked; every buffer is wiped at the
 * end. What HTTP is, is http.c's affair, not yours.
 *
 * Over lwIP and BearSSL it is done in ports/board, over libcurl in ports/posix. On ESP-IDF write it over esp_tls, on Zephyr
 * over its sockets with TLS.
 */
#include "port.h"

/* 0. What a connection is made of: its socket, its TLS session, its buffers. A second device needs a second one. */
struct pg_connection {
  int is_open;
};

struct pg_connection port_connection;

/* 1. Begin to connect to peer->host, peer->port; keep what is needed of both: they are good for this call only. */
int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust) {
  (void)connection;
  (void)peer;
  (void)trust;
  return 0;
}

/* 2. Called again and again: name resolved? connected? handshake done, certificate good? Then OPEN. */
enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  (void)connection;
  return PG_CONNECTION_FAILED;
}

/* 3. Take bytes into the transmit buffer: as many as there is room for, 0 where there is none. */
int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  (void)connection;
  (void)bytes;
  (void)size;
  return -1;
}

/* 4. Whether all that was taken is on its way. */
int pg_connection_flush(struct pg_connection *connection) {
  (void)connection;
  return -1;
}

/* 5. What has come, in a buffer of yours. ENDED only where TLS said so (close_notify): a cut is BROKEN. */
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  (void)connection;
  *bytes = NULL;
  return PG_CONNECTION_BROKEN;
}

/*
 * 6. Why it failed, or what it waits for, for the display: PG_REASON_NAME_NOT_FOUND, PG_REASON_OTHER_NAME and so on
 * (picogrant-numbers.h). 0, which is none, is never wrong.
 */
int pg_connection_reason(struct pg_connection *connection) {
  (void)connection;
  return 0;
}

/* 7. Close, and wipe the buffers. Harmless without a connection. */
void pg_connection_end(struct pg_connection *connection) { connection->is_open = 0; }
