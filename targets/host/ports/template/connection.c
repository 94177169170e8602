/*
 * A connection over a plain socket. Replace this file with a connection over the board's TCP and TLS (picogrant-port.h).
 * The main rules: no function waits; use TLS 1.2 or later, and check the certificate's chain, name and dates; wipe every
 * buffer at the end. http.c implements HTTP. ports/board uses lwIP and BearSSL, ports/posix libcurl. On ESP-IDF use
 * esp_tls, on Zephyr its sockets with TLS.
 *
 * This file has no TLS, so it refuses https, and every address except this machine's own (127.0.0.0/8). Use it for
 * tests with a local service.
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

/* A connection's socket, and on a board also its TLS session and buffers. Each device needs its own. */
struct pg_connection {
  int descriptor;
  enum pg_connection_state state;
  size_t filled; /* number of bytes in `out` */
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

/* Accepts only 127.0.0.0/8, so that data does not leave this machine. */
static int is_here(const struct pg_peer *peer, struct in_addr *address) {
  char host[16];
  if (peer->is_secure || peer->host_size >= sizeof host) return 0;
  memcpy(host, peer->host, peer->host_size);
  host[peer->host_size] = 0;
  return inet_pton(AF_INET, host, address) == 1 && (ntohl(address->s_addr) >> 24) == 127;
}

/* Starts to connect. `peer` is only valid during this call, so copy what you need of it. */
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

/* The host calls this repeatedly. Return OPEN only when the name is resolved, the handshake is complete, and the
 * certificate is valid. */
enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  struct pollfd waiting = {connection->descriptor, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  if (connection->state != PG_CONNECTION_OPENING || poll(&waiting, 1, 0) <= 0) return connection->state;
  getsockopt(connection->descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  connection->state = error ? PG_CONNECTION_FAILED : PG_CONNECTION_OPEN;
  return connection->state;
}

/* Returns why the connection failed, or what it waits for. The display shows PG_REASON_NAME_NOT_FOUND,
 * PG_REASON_OTHER_NAME and so on (picogrant-numbers.h). PG_REASON_NONE is always allowed. */
int pg_connection_reason(struct pg_connection *connection) {
  return connection->state == PG_CONNECTION_FAILED ? PG_REASON_UNAVAILABLE : PG_REASON_NONE;
}

/* Copies as many bytes as fit into the transmit buffer. If the buffer is full, sends what it can, and returns 0. */
int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  size_t capacity = BUFFER_BYTES - connection->filled;
  if (size > capacity) size = capacity;
  memcpy(connection->out + connection->filled, bytes, size);
  connection->filled += size;
  return size ? (int)size : pg_connection_flush(connection) < 0 ? -1 : 0;
}

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

/* Receives bytes into the connection's buffer. With TLS, return ENDED only after a close_notify, and BROKEN otherwise. */
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  ssize_t size = recv(connection->descriptor, connection->in, sizeof connection->in, 0);
  *bytes = connection->in;
  if (size > 0) return (int)size;
  if (size == 0) return PG_CONNECTION_ENDED;
  return errno == EAGAIN || errno == EINTR ? PG_CONNECTION_NOTHING : PG_CONNECTION_BROKEN;
}

void pg_connection_end(struct pg_connection *connection) {
  if (connection->descriptor >= 0) close(connection->descriptor);
  connection->descriptor = -1;
  connection->state = PG_CONNECTION_FAILED;
  pg_wipe(connection->out, sizeof connection->out);
  pg_wipe(connection->in, sizeof connection->in);
}
