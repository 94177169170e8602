#include "network-watch.h"

#include "assertion.h"

void pg_network_watch_doubt(struct pg_network_watch *watch, uint32_t now_ms) {
  if (watch->is_on) return;
  watch->is_on = 1;
  watch->probes = 0;
  watch->restarts = 0;
  watch->due_ms = now_ms;
}

void pg_network_watch_received(struct pg_network_watch *watch) {
  watch->is_on = 0;
  watch->level = 0;
}

/* Compares the difference of the times, because the clock wraps. */
int32_t pg_network_watch_wake_in(const struct pg_network_watch *watch, uint32_t now_ms) {
  if (!watch->is_on) return -1;
  uint32_t left = watch->due_ms - now_ms;
  return left > 0x7fffffffu ? 0 : (int32_t)left;
}

/* Called if no probe got a response. Restarts the interface, or the device after three restarts of the interface. */
static enum pg_network_step restart(struct pg_network_watch *watch, uint32_t now_ms) {
  if (watch->restarts == PG_NETWORK_RESTARTS) {
    watch->is_on = 0;
    if (watch->level < PG_NETWORK_LEVEL_MAX) watch->level++;
    PG_MUST(watch->level <= PG_NETWORK_LEVEL_MAX, "a wait is at most an hour");
    return PG_NETWORK_RESTART_DEVICE;
  }
  watch->due_ms = now_ms + ((uint32_t)PG_NETWORK_WAIT_MS << watch->level);
  watch->restarts++;
  watch->probes = 0;
  return PG_NETWORK_RESTART_INTERFACE;
}

enum pg_network_step pg_network_watch_next(struct pg_network_watch *watch, uint32_t now_ms,
                                           int has_link) {
  if (!watch->is_on) return PG_NETWORK_NOTHING;
  if (!has_link) {
    watch->is_on = 0;
    return PG_NETWORK_NOTHING;
  }
  if (pg_network_watch_wake_in(watch, now_ms) > 0) return PG_NETWORK_NOTHING;
  if (watch->probes == PG_NETWORK_PROBES) return restart(watch, now_ms);
  watch->due_ms = now_ms + PG_NETWORK_PROBE_MS;
  watch->probes++;
  return PG_NETWORK_PROBE;
}
