/*
 * The connection, here over a plain socket: to be replaced by one over the board's TCP and TLS. Contract in
 * picogrant-port.h, in short: nothing here waits; TLS 1.2 at least, with the certificate's chain, its name and its dates checked; every
 * buffer is wiped at the end. What HTTP is, is http.c's affair, not yours.
 *
 * There is no TLS here, so it refuses every address but those of this machine's own: it is for trying a port against a
 * service on the desk. Over lwIP and BearSSL it is done in ports/board, over libcurl in ports/posix. On ESP-IDF write it
 * over esp_tls, on Zephyr over its sockets with TLS.
 */
#include "port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "picogrant-numbers.h"
#include "picogrant-port.h"

enum { BUFFER_BYTES = 2048 };

/* Its socket, its TLS session, its buffers. A second device needs a second one. */
struct pg_connection {
  int descriptor;
  enum pg_connection_state state;
  size_t filled; /* of `out` */
  size_t sent;
  uint8_t out[BUFFER_BYTES];
  uint8_t in[BUFFER_BYTES];
};

struct pg_connection port_connection = {.descriptor = -1, .state = PG_CONNECTION_FAILED};

int socket_descriptor(void) { return port_connection.descriptor; }

short socket_events(void) {
  int writes = port_connection.state == PG_CONNECTION_OPENING || port_connection.sent < port_connection.filled;
  return writes ? POLLIN | POLLOUT : POLLIN;
}

/* 127.0.0.0/8 only: nobody but this machine can read along. */
static int is_here(const struct pg_peer *peer, struct in_addr *address) {
  char host[16];
  if (peer->is_secure || peer->host_size >= sizeof host) return 0;
  memcpy(host, peer->host, peer->host_size);
  host[peer->host_size] = 0;
  return inet_pton(AF_INET, host, address) == 1 && (ntohl(address->s_addr) >> 24) == 127;
}

/* Begins to connect. Of `peer` keep what you need: it is good for this call only. */
int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer, const void *trust) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(peer->port)};
  (void)trust;
  pg_connection_end(connection);
  if (!is_here(peer, &address.sin_addr)) return 0;
  connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (connection->descriptor < 0) return 0;
  connection->state = PG_CONNECTION_OPENING;
  connection->filled = connection->sent = 0;
  int done = connect(connection->descriptor, (const struct sockaddr *)&address, sizeof address);
  if (done != 0 && errno != EINPROGRESS) connection->state = PG_CONNECTION_FAILED;
  return 1;
}

/* Called again and again: name resolved? connected? handshake done, certificate good? Then OPEN. */
enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  struct pollfd waiting = {connection->descriptor, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  if (connection->state != PG_CONNECTION_OPENING || poll(&waiting, 1, 0) <= 0) return connection->state;
  getsockopt(connection->descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  connection->state = error ? PG_CONNECTION_FAILED : PG_CONNECTION_OPEN;
  return connection->state;
}

/*
 * Why it failed, or what it waits for, for the display: PG_REASON_NAME_NOT_FOUND, PG_REASON_OTHER_NAME and so on
 * (picogrant-numbers.h). PG_REASON_NONE is never wrong.
 */
int pg_connection_reason(struct pg_connection *connection) {
  return connection->state == PG_CONNECTION_FAILED ? PG_REASON_UNAVAILABLE : PG_REASON_NONE;
}

/* Takes bytes into the transmit buffer: as many as there is room for, 0 where there is none. */
int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  size_t capacity = BUFFER_BYTES - connection->filled;
  if (size > capacity) size = capacity;
  memcpy(connection->out + connection->filled, bytes, size);
  connection->filled += size;
  return size ? (int)size : pg_connection_flush(connection) < 0 ? -1 : 0;
}

/* Whether all that was taken is on its way. */
int pg_connection_flush(struct pg_connection *connection) {
  while (connection->sent < connection->filled) {
    ssize_t done = send(connection->descriptor, connection->out + connection->sent,
                        connection->filled - connection->sent, MSG_NOSIGNAL);
    if (done < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    connection->sent += (size_t)done;
  }
  connection->filled = connection->sent = 0;
  return 1;
}

/* What has come, in a buffer of its own. With TLS, ENDED only where that said so (close_notify): a cut is BROKEN. */
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  ssize_t size = recv(connection->descriptor, connection->in, sizeof connection->in, 0);
  *bytes = connection->in;
  if (size > 0) return (int)size;
  if (size == 0) return PG_CONNECTION_ENDED;
  return errno == EAGAIN || errno == EINTR ? PG_CONNECTION_NOTHING : PG_CONNECTION_BROKEN;
}

/* Closes, and wipes the buffers. Harmless without a connection. */
void pg_connection_end(struct pg_connection *connection) {
  if (connection->descriptor >= 0) close(connection->descriptor);
  connection->descriptor = -1;
  connection->state = PG_CONNECTION_FAILED;
  pg_wipe(connection->out, sizeof connection->out);
  pg_wipe(connection->in, sizeof connection->in);
}
