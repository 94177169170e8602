/* Sleeping on Linux. */
#ifndef PICOGRANT_WAIT_H
#define PICOGRANT_WAIT_H

enum { PG_WAIT_MAX = 2 };

/* A descriptor to wait for, and whether something has come; -1: none. */
struct pg_waiting {
  int descriptor;
  int is_ready;
};

/* Starts libcurl. Returns NULL, or what is wrong. */
const char *pg_network_open(void);

void pg_network_close(void);

/* Sleeps until the network, one of `count` (at most PG_WAIT_MAX) descriptors, or the time needs attention. */
void pg_wait(int timeout_ms, struct pg_waiting *waiting, int count);

#endif
