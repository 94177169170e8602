/* One connection on lwIP's raw interface, with BearSSL. The main loop calls network_work, and lwIP then calls the callbacks
 * of this file. pump() passes the bytes between the two libraries. */
#include "picogrant-port.h"

#include <lwip/dns.h>
#include <lwip/tcp.h>
#include <string.h>

#include "board.h"
#include "network.h"
#include "reason.h"
#include "tls.h"

/* TIMEOUT_MS: after this time, the display shows what the connection waits for. */
enum { NAME_MAX_BYTES = DNS_MAX_NAME_LENGTH, TIMEOUT_MS = 4000 };

enum stage { IDLE, WAITS_FOR_NETWORK, RESOLVES, CONNECTS, SHAKES_HANDS, IS_OPEN, HAS_FAILED };

struct pg_connection {
  enum stage stage;
  int reason; /* PG_REASON_*, if it has failed */
  const struct board_trust *trust;
  br_ssl_engine_context *tls; /* NULL: unencrypted */
  struct tcp_pcb *tcp;
  struct pbuf *received; /* bytes that TCP has received and that were not read yet */
  size_t lent;           /* bytes that the last pg_connection_receive has returned */
  int has_received;         /* the peer has sent something */
  int has_ended;         /* the peer sends no more */
  int is_secure;
  uint16_t port;
  uint32_t began_ms;
  ip_addr_t address;
  char name[NAME_MAX_BYTES + 1];
};

struct pg_connection board_connection;

static void fail(struct pg_connection *connection, int reason, const char *why) {
  if (connection->stage == HAS_FAILED) return;
  /* The server may have another address now, so network_doubt makes the board resolve its name again. */
  if (connection->stage < SHAKES_HANDS) network_doubt();
  connection->stage = HAS_FAILED;
  connection->reason = reason;
  board_log("connection: ");
  board_log(why ? why : pg_reason_sentence(reason));
  board_log("\n");
}

/* Removes `size` received bytes, and allows the peer to send as many more. */
static void drop_received(struct pg_connection *connection, size_t size) {
  if (connection->tcp) tcp_recved(connection->tcp, (uint16_t)size);
  connection->received = pbuf_free_header(connection->received, (uint16_t)size);
}

static err_t on_received(void *context, struct tcp_pcb *tcp, struct pbuf *bytes, err_t error) {
  struct pg_connection *connection = context;
  (void)tcp;
  (void)error;
  if (bytes) connection->has_received = 1;
  if (!bytes) connection->has_ended = 1;
  else if (connection->received) pbuf_cat(connection->received, bytes);
  else connection->received = bytes;
  return ERR_OK;
}

/* lwIP calls this after it has freed the connection. */
static void on_broken(void *context, err_t error) {
  struct pg_connection *connection = context;
  connection->tcp = NULL;
  if (connection->stage == CONNECTS) {
    if (error == ERR_RST) fail(connection, PG_REASON_UNAVAILABLE, "the server refuses it");
    else fail(connection, PG_REASON_SERVER_SILENT, "no response from the server");
  } else {
    connection->has_ended = 1;
  }
}

static err_t on_connected(void *context, struct tcp_pcb *tcp, err_t error) {
  struct pg_connection *connection = context;
  const char *why = NULL;
  (void)tcp;
  (void)error;
  connection->stage = IS_OPEN;
  network_works();
  if (!connection->is_secure) return ERR_OK;
  connection->stage = SHAKES_HANDS;
  connection->tls = tls_start(connection->name, connection->trust, &why);
  if (!connection->tls) fail(connection, tls_reason(), why);
  return ERR_OK;
}

static void connect_to_address(struct pg_connection *connection) {
  connection->tcp = tcp_new();
  if (!connection->tcp) {
    fail(connection, PG_REASON_NONE, "no memory for it");
    return;
  }
  connection->stage = CONNECTS;
  tcp_arg(connection->tcp, connection);
  tcp_recv(connection->tcp, on_received);
  tcp_err(connection->tcp, on_broken);
  if (tcp_connect(connection->tcp, &connection->address, connection->port, on_connected) != ERR_OK) {
    fail(connection, PG_REASON_NO_ADDRESS, "no way to the server");
  }
}

static void on_resolved(const char *name, const ip_addr_t *address, void *context) {
  struct pg_connection *connection = context;
  /* Ignore the response to a query of an earlier connection. */
  if (connection->stage != RESOLVES || strcmp(name, connection->name) != 0) return;
  network_resolving(0);
  if (!address) {
    fail(connection, PG_REASON_NAME_NOT_FOUND, "the name server does not know the server's name");
    return;
  }
  connection->address = *address;
  connect_to_address(connection);
}

static void resolve(struct pg_connection *connection) {
  connection->stage = RESOLVES;
  network_resolving(1);
  switch (dns_gethostbyname(connection->name, &connection->address, on_resolved, connection)) {
    case ERR_OK:
      network_resolving(0);
      connect_to_address(connection);
      break;
    case ERR_INPROGRESS:
      break;
    default:
      network_resolving(0);
      fail(connection, PG_REASON_NAME_NOT_FOUND, "the server's name cannot be looked up");
  }
}

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust) {
  pg_connection_end(connection);
  if (peer->host_size > NAME_MAX_BYTES) return 0;
  memcpy(connection->name, peer->host, peer->host_size);
  connection->name[peer->host_size] = 0;
  connection->port = peer->port;
  connection->is_secure = peer->is_secure;
  connection->trust = trust;
  connection->stage = WAITS_FOR_NETWORK;
  connection->began_ms = pg_clock_ms();
  network_attend();
  return 1;
}

/* Passes TLS records to TCP. Returns 1 if any byte was passed. */
static int send_records(struct pg_connection *connection) {
  size_t size;
  const uint8_t *bytes = br_ssl_engine_sendrec_buf(connection->tls, &size);
  if (!bytes || !connection->tcp) return 0;
  if (size > tcp_sndbuf(connection->tcp)) size = tcp_sndbuf(connection->tcp);
  if (size == 0 || tcp_write(connection->tcp, bytes, (uint16_t)size, TCP_WRITE_FLAG_COPY) != ERR_OK) {
    return 0;
  }
  br_ssl_engine_sendrec_ack(connection->tls, size);
  return 1;
}

/* Passes received records to TLS. Returns 1 if any byte was passed. */
static int take_records(struct pg_connection *connection) {
  size_t size;
  uint8_t *into = br_ssl_engine_recvrec_buf(connection->tls, &size);
  if (!into || !connection->received) return 0;
  if (size > connection->received->len) size = connection->received->len;
  memcpy(into, connection->received->payload, size);
  drop_received(connection, size);
  br_ssl_engine_recvrec_ack(connection->tls, size);
  return 1;
}

static void pump(struct pg_connection *connection) {
  if (connection->tls) {
    while (send_records(connection) | take_records(connection)) continue;
  }
  if (connection->tcp) tcp_output(connection->tcp);
}

static int tls_is_closed(const struct pg_connection *connection) {
  return connection->tls && br_ssl_engine_current_state(connection->tls) == BR_SSL_CLOSED;
}

/* Called when the server has closed the connection during the handshake. If it has sent nothing, it is probably no TLS
 * server or out of service. Otherwise the two sides probably have no common TLS settings. */
static void fail_hung_up(struct pg_connection *connection) {
  int reason = connection->has_received ? PG_REASON_TLS_TOO_OLD : PG_REASON_UNAVAILABLE;
  fail(connection, reason, "the server has hung up in the handshake");
}

/* Continues the handshake. It is complete, and the certificate is checked, when BearSSL accepts application data. */
static void work_at_handshake(struct pg_connection *connection) {
  pump(connection);
  if (tls_is_closed(connection)) {
    fail(connection, tls_reason(), tls_problem());
  } else if (br_ssl_engine_current_state(connection->tls) & BR_SSL_SENDAPP) {
    tls_opened();
    connection->stage = IS_OPEN;
  } else if (connection->has_ended && !connection->received) {
    fail_hung_up(connection);
  }
}

enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  if (connection->stage == WAITS_FOR_NETWORK && network_is_up()) resolve(connection);
  if (connection->stage == SHAKES_HANDS) work_at_handshake(connection);
  if (connection->stage == IS_OPEN) {
    pump(connection);
    return PG_CONNECTION_OPEN;
  }
  if (connection->stage == HAS_FAILED || connection->stage == IDLE) return PG_CONNECTION_FAILED;
  return PG_CONNECTION_OPENING;
}

static int is_broken(const struct pg_connection *connection) {
  return connection->stage != IS_OPEN || !connection->tcp || tls_is_closed(connection);
}

int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  size_t capacity;
  if (is_broken(connection)) return -1;
  if (connection->tls) {
    uint8_t *into = br_ssl_engine_sendapp_buf(connection->tls, &capacity);
    if (!into) {
      pump(connection);
      return is_broken(connection) ? -1 : 0;
    }
    if (size > capacity) size = capacity;
    memcpy(into, bytes, size);
    br_ssl_engine_sendapp_ack(connection->tls, size);
    pump(connection);
    return (int)size;
  }
  capacity = tcp_sndbuf(connection->tcp);
  if (size > capacity) size = capacity;
  if (size == 0) return 0;
  err_t error = tcp_write(connection->tcp, bytes, (uint16_t)size, TCP_WRITE_FLAG_COPY);
  if (error == ERR_MEM) return 0;
  return error == ERR_OK ? (int)size : -1;
}

int pg_connection_flush(struct pg_connection *connection) {
  if (is_broken(connection)) return -1;
  if (connection->tls) br_ssl_engine_flush(connection->tls, 0);
  pump(connection);
  if (is_broken(connection)) return -1;
  return !connection->tls || !(br_ssl_engine_current_state(connection->tls) & BR_SSL_SENDREC);
}

static int receive_sealed(struct pg_connection *connection, const uint8_t **bytes) {
  size_t size;
  if (connection->lent > 0) br_ssl_engine_recvapp_ack(connection->tls, connection->lent);
  connection->lent = 0;
  pump(connection);
  *bytes = br_ssl_engine_recvapp_buf(connection->tls, &size);
  if (*bytes) {
    connection->lent = size;
    return (int)size;
  }
  if (tls_is_closed(connection)) {
    if (br_ssl_engine_last_error(connection->tls) == BR_ERR_OK) return PG_CONNECTION_ENDED;
    fail(connection, tls_reason(), tls_problem());
    return PG_CONNECTION_BROKEN;
  }
  /* If the server has closed TCP without a close_notify, an attacker may have cut the response. */
  return connection->has_ended && !connection->received ? PG_CONNECTION_BROKEN : PG_CONNECTION_NOTHING;
}

int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  if (connection->stage != IS_OPEN) return PG_CONNECTION_BROKEN;
  if (connection->tls) return receive_sealed(connection, bytes);
  if (connection->lent > 0) drop_received(connection, connection->lent);
  connection->lent = 0;
  if (connection->received) {
    *bytes = connection->received->payload;
    connection->lent = connection->received->len;
    return (int)connection->lent;
  }
  if (!connection->has_ended) return PG_CONNECTION_NOTHING;
  return connection->tcp ? PG_CONNECTION_ENDED : PG_CONNECTION_BROKEN;
}

static int waits_for(const struct pg_connection *connection) {
  switch (connection->stage) {
    case WAITS_FOR_NETWORK:
      return network_has_link() ? PG_REASON_NO_ADDRESS : PG_REASON_NO_CABLE;
    case RESOLVES:
      return PG_REASON_NAME_NOT_FOUND;
    default:
      return PG_REASON_SERVER_SILENT;
  }
}

int pg_connection_reason(struct pg_connection *connection) {
  if (connection->stage == HAS_FAILED) return connection->reason;
  /* During the first seconds, a missing response is normal. */
  if (pg_clock_ms() - connection->began_ms < TIMEOUT_MS) return PG_REASON_NONE;
  int is_opening = connection->stage < IS_OPEN && connection->stage != IDLE;
  return is_opening ? waits_for(connection) : PG_REASON_NONE;
}

/* Sends a close_notify if possible, without waiting for a response. */
static void hang_up(struct pg_connection *connection) {
  struct tcp_pcb *tcp = connection->tcp;
  if (!tcp) return;
  if (connection->tls && connection->stage == IS_OPEN) {
    br_ssl_engine_close(connection->tls);
    (void)send_records(connection);
  }
  tcp_recv(tcp, NULL);
  tcp_err(tcp, NULL);
  if (connection->received) drop_received(connection, connection->received->tot_len);
  if (connection->stage != IS_OPEN || tcp_close(tcp) != ERR_OK) tcp_abort(tcp);
}

void pg_connection_end(struct pg_connection *connection) {
  if (connection->stage == IDLE) return;
  /* The caller has given up while connecting. fail() logs this, and before the handshake also doubts the network. */
  if (connection->stage < IS_OPEN) fail(connection, waits_for(connection), "no response in time");
  hang_up(connection);
  if (connection->received) pbuf_free(connection->received);
  network_resolving(0);
  if (connection->tls) tls_end();
  memset(connection, 0, sizeof *connection);
}
