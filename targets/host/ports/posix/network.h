/* The network on Linux, over libcurl: connections (connection.h) and sleeping. All of it from one thread. */
#ifndef PICOGRANT_NETWORK_H
#define PICOGRANT_NETWORK_H

#include <curl/curl.h>

#include "connection.h"

/* PG_NETWORK_MAX: connections of one network. */
enum { PG_WAIT_MAX = 2, PG_NETWORK_MAX = 4, PG_NETWORK_BUFFER = 4096, PG_NETWORK_NAME = 300 };

/* What the devices of a program share: the caller's, from pg_network_open to pg_network_close. */
struct pg_network {
  CURLM *multi;
  struct pg_connection *connections[PG_NETWORK_MAX];
  int count;
};

/* One device's: the caller's, from pg_connection_open to pg_network_close. The fields are connection-curl.c's own. */
struct pg_connection {
  struct pg_network *network;
  CURL *easy; /* NULL: there is none now */
  enum pg_connection_state state;
  int reason;     /* PG_REASON_*: why it has failed */
  int is_blocked; /* what is to be sent waits for room */
  size_t filled;  /* of `out` */
  size_t sent;
  char name[PG_NETWORK_NAME]; /* the peer's, which the TLS library reads while it connects */
  uint8_t out[PG_NETWORK_BUFFER];
  uint8_t in[PG_NETWORK_BUFFER];
};

/* Whom a connection trusts: what struct pg_host_parts has. Certificates of authorities in PEM, in memory or in a file. */
struct pg_trust {
  const char *pem; /* NULL: the file's */
  size_t pem_size;
  const char *file; /* "" or NULL: the system's */
};

/* A descriptor to wait for, and whether something has come; -1: none. */
struct pg_waiting {
  int descriptor;
  int is_ready;
};

/* Starts libcurl. Returns NULL, or what is wrong. */
const char *pg_network_open(struct pg_network *network);

/* Ends all its connections. */
void pg_network_close(struct pg_network *network);

/* Adds a connection, for connection.h. 1, or 0 where the network has PG_NETWORK_MAX of them. */
int pg_connection_open(struct pg_network *network, struct pg_connection *connection);

/*
 * Sleeps until one of the connections, one of `count` (at most PG_WAIT_MAX) descriptors, or the time needs attention.
 * @param timeout_ms the least of what pg_host_wake_in says of the devices
 */
void pg_wait(struct pg_network *network, int timeout_ms, struct pg_waiting *waiting, int count);

#endif
