/*
 * Whether the network still works: for a port that runs its network itself. It is asked only once something has
 * gone without an answer, so a device that has nothing to send sleeps on, and a server that is away costs nothing:
 * as long as the gateway answers, the fault is not here.
 *
 *   an exchange failed without an answer        pg_network_watch_doubt
 *   then, until the doubt is over:
 *     pg_network_watch_next says PROBE          ask the gateway for its address (ARP), or anyone where there is none
 *                         RESTART_INTERFACE     three probes went unanswered
 *                         RESTART_DEVICE        three restarts of the interface did not help
 *   the gateway answered, or an exchange went   pg_network_watch_received
 *
 * The waits after restarts double up to an hour, so that a router that is switched off for a week costs a restart
 * an hour. `level` says how far they have grown: the port keeps it over the device's restart, in memory that a
 * reset does not clear.
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

/* Begins as zeros, but for `level`. Times are pg_clock_ms's. */
struct pg_network_watch {
  uint32_t due_ms;  /* when the next step is to be taken */
  uint8_t is_on;    /* there is a doubt */
  uint8_t probes;   /* sent since the last restart of the interface */
  uint8_t restarts; /* of the interface, since the doubt began */
  uint8_t level;    /* 0..PG_NETWORK_LEVEL_MAX */
};

/* Something went without an answer. Nothing changes where there is a doubt already. */
void pg_network_watch_doubt(struct pg_network_watch *watch, uint32_t now_ms);

void pg_network_watch_received(struct pg_network_watch *watch);

/*
 * What is to be done now; each step is said once.
 * @param has_link 0: the cable is out. Then there is nothing to restart, and everything begins anew with the link.
 */
enum pg_network_step pg_network_watch_next(struct pg_network_watch *watch, uint32_t now_ms,
                                           int has_link);

/* Milliseconds until the next step, 0 where it is due; -1 without a doubt. */
int32_t pg_network_watch_wake_in(const struct pg_network_watch *watch, uint32_t now_ms);

#ifdef __cplusplus
}
#endif

#endif
