/*
 * The port's connection (connection.h): to a server that is in this file, so that the other examples have one. It gives
 * out a code for every request to /device, tokens for every other one, and hangs up.
 */
#include "connection.h"

#include <string.h>

/* What a connection is made of is the port's own; whoever needs one gets it by pointer. */
struct pg_connection {
  int is_open;
  char request[64]; /* its beginning */
  size_t request_size;
  size_t taken; /* of the answer */
};

extern struct pg_connection example_connection;
struct pg_connection example_connection;

static const char code[] =
    "HTTP/1.1 200 OK\r\n\r\n{\"device_code\":\"d\",\"user_code\":\"ABCD-EFGH\",\"verification_uri\":"
    "\"https://example.com/d\",\"expires_in\":600,\"interval\":1}";
static const char tokens[] =
    "HTTP/1.1 200 OK\r\n\r\n{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"expires_in\":3600}";

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust) {
  (void)trust;
  pg_connection_end(connection);
  connection->is_open = peer->host_size > 0;
  return connection->is_open;
}

enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  return connection->is_open ? PG_CONNECTION_OPEN : PG_CONNECTION_FAILED;
}

int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size && connection->request_size + 1 < sizeof connection->request; i++) {
    connection->request[connection->request_size++] = (char)bytes[i];
  }
  return (int)size;
}

int pg_connection_flush(struct pg_connection *connection) { return connection->is_open; }

int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  const char *answer = strstr(connection->request, "/device") ? code : tokens;
  size_t left = strlen(answer) - connection->taken;
  *bytes = (const uint8_t *)answer + connection->taken;
  connection->taken += left;
  return left > 0 ? (int)left : PG_CONNECTION_ENDED;
}

int pg_connection_reason(struct pg_connection *connection) {
  (void)connection;
  return 0;
}

void pg_connection_end(struct pg_connection *connection) {
  memset(connection, 0, sizeof *connection);
}
