/* What to do about a network that has gone silent (network-watch.h). */
#include "network-watch.h"

int main(void) {
  static struct pg_network_watch watch;
  uint32_t now_ms = 0;
  int probes = 0;
  if (pg_network_watch_wake_in(&watch, now_ms) != -1) return 1;
  pg_network_watch_doubt(&watch, now_ms);
  for (;;) {
    enum pg_network_step step = pg_network_watch_next(&watch, now_ms, 1);
    if (step == PG_NETWORK_RESTART_INTERFACE) break;
    probes += step == PG_NETWORK_PROBE;
    now_ms += (uint32_t)pg_network_watch_wake_in(&watch, now_ms);
  }
  pg_network_watch_heard(&watch);
  return probes == PG_NETWORK_PROBES && pg_network_watch_wake_in(&watch, now_ms) == -1 ? 0 : 2;
}
