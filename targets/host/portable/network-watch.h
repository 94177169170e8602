/*
 * Monitors the network, for a port with its own network stack. The monitoring starts only after a request without a
 * response, so an idle device can sleep. If the gateway responds, the server is at fault, and nothing is restarted.
 *
 *   an exchange failed without a response       pg_network_watch_doubt
 *   then, until the doubt is resolved:
 *     pg_network_watch_next returns PROBE       ask the gateway for its address (ARP); without a gateway, another host
 *                         RESTART_INTERFACE     three probes without a response
 *                         RESTART_DEVICE        three restarts of the interface without effect
 *   the gateway responded, or an exchange worked  pg_network_watch_received
 *
 * After each restart of the interface, the device waits. Each restart of the device doubles that wait, up to about an
 * hour. So if a router is off for a week, the device finally restarts about every three hours. `level` is the number of
 * doublings. The port preserves it across restarts of the device, in memory that a reset does not clear.
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
  PG_NETWORK_WAIT_MS = 30000, /* the wait after a restart of the interface; each level doubles it */
  PG_NETWORK_LEVEL_MAX = 7    /* 30 s << 7 is slightly more than an hour */
};

enum pg_network_step {
  PG_NETWORK_NOTHING,
  PG_NETWORK_PROBE,
  PG_NETWORK_RESTART_INTERFACE,
  PG_NETWORK_RESTART_DEVICE
};

/* The state of the watch. It starts as zeros, except `level`. Times are those of pg_clock_ms. */
struct pg_network_watch {
  uint32_t due_ms;  /* when the next step is due */
  uint8_t is_on;    /* 1: the network may have failed */
  uint8_t probes;   /* number of probes since the last restart of the interface */
  uint8_t restarts; /* number of restarts of the interface since the doubt began */
  uint8_t level;    /* 0..PG_NETWORK_LEVEL_MAX */
};

/* Reports a request without a response, which starts a doubt. Has no effect during a doubt. */
void pg_network_watch_doubt(struct pg_network_watch *watch, uint32_t now_ms);

/* Reports a response of the gateway or of a server. Ends the doubt, and sets `level` to 0. */
void pg_network_watch_received(struct pg_network_watch *watch);

/* Returns the step that is due, or NOTHING. Returns each step only once.
 * @param has_link 0: the cable is unplugged. This ends the doubt without a restart, and a later request without a
 * response starts a new doubt */
enum pg_network_step pg_network_watch_next(struct pg_network_watch *watch, uint32_t now_ms,
                                           int has_link);

/* Returns the milliseconds until the next step, 0 if it is due, -1 if there is no doubt. */
int32_t pg_network_watch_wake_in(const struct pg_network_watch *watch, uint32_t now_ms);

#ifdef __cplusplus
}
#endif

#endif
