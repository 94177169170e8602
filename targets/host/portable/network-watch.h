/*
 * Monitors the network, for a port that runs its own network stack. It only acts after a request without a response, so
 * an idle device keeps sleeping, and an unavailable server costs nothing: as long as the gateway responds, the fault is
 * elsewhere.
 *
 *   an exchange failed without a response       pg_network_watch_doubt
 *   then, until the doubt is resolved:
 *     pg_network_watch_next returns PROBE       ask the gateway for its address (ARP), or any host without one
 *                         RESTART_INTERFACE     three probes without a response
 *                         RESTART_DEVICE        three restarts of the interface without effect
 *   the gateway responded, or an exchange worked  pg_network_watch_received
 *
 * The waits after restarts double up to an hour, so a router that is off for a week costs a restart per hour. `level`
 * is their size: the port preserves it across restarts, in memory that a reset does not clear.
 */
#ifndef PICOGRANT_NETWORK_WATCH_H
#define PICOGRANT_NETWORK_WATCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PG_NETWORK_PROBES = 3,
  PG_NETWORK_PROBE_MS = 5000,
  PG_NETWORK_RESTARTS = 3,
  PG_NETWORK_WAIT_MS = 30000, /* after a restart of the interface; twice as long at each level */
  PG_NETWORK_LEVEL_MAX = 7    /* 30 s << 7 is a little more than an hour */
};

enum pg_network_step {
  PG_NETWORK_NOTHING,
  PG_NETWORK_PROBE,
  PG_NETWORK_RESTART_INTERFACE,
  PG_NETWORK_RESTART_DEVICE
};

/* Starts as zeros, except `level`. Times are pg_clock_ms's. */
struct pg_network_watch {
  uint32_t due_ms;  /* when the next step is to be taken */
  uint8_t is_on;    /* there is a doubt */
  uint8_t probes;   /* sent since the last restart of the interface */
  uint8_t restarts; /* of the interface, since the doubt began */
  uint8_t level;    /* 0..PG_NETWORK_LEVEL_MAX */
};

/* A request had no response. No effect while there is a doubt already. */
void pg_network_watch_doubt(struct pg_network_watch *watch, uint32_t now_ms);

void pg_network_watch_received(struct pg_network_watch *watch);

/*
 * The next step; each one is returned once.
 * @param has_link 0: no cable. Then there is nothing to restart, and everything starts again with the link.
 */
enum pg_network_step pg_network_watch_next(struct pg_network_watch *watch, uint32_t now_ms,
                                           int has_link);

/* Milliseconds until the next step, 0 if it is due; -1 without a doubt. */
int32_t pg_network_watch_wake_in(const struct pg_network_watch *watch, uint32_t now_ms);

#ifdef __cplusplus
}
#endif

#endif
