/* Random runs of the network watch (network-watch.h). It may restart the interface only after three probes without a
 * response while there is a link. It may restart the device only after three restarts of the interface. If no request
 * has failed, or there is no link, it does nothing. Its waits grow, also while the clock wraps. Usage: network-watch
 * SEED. Output: `steps N probes A interfaces B devices C`; exit code 1 at the first fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network-watch.h"

enum { RUNS = 2000, STEPS = 400 };

static uint32_t random_state;

static uint32_t below(uint32_t bound) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % bound;
}

/* The state that the watch must have after the steps so far. */
struct seen {
  int has_doubt;
  int probes;
  int restarts;
  int level;
  uint32_t last_ms; /* the time of the previous step */
};

static long counts[4];

static const char *judge(struct seen *seen, enum pg_network_step step, uint32_t now, int has_link) {
  uint32_t passed = now - seen->last_ms;
  uint32_t wait = seen->probes > 0 ? PG_NETWORK_PROBE_MS : (uint32_t)PG_NETWORK_WAIT_MS << seen->level;
  counts[step]++;
  if (step == PG_NETWORK_NOTHING) return NULL;
  if (!seen->has_doubt) return "a step without a doubt";
  if (!has_link) return "a step without a link";
  if ((seen->probes > 0 || seen->restarts > 0) && passed < wait) return "a step too early";
  seen->last_ms = now;
  if (step == PG_NETWORK_PROBE) return ++seen->probes > 3 ? "a fourth probe" : NULL;
  if (seen->probes != 3) return "a restart without three probes";
  seen->probes = 0;
  if (step == PG_NETWORK_RESTART_INTERFACE) return ++seen->restarts > 3 ? "a fourth restart" : NULL;
  if (seen->restarts != 3) return "a restart of the device too early";
  seen->has_doubt = 0;
  seen->restarts = 0;
  if (seen->level < 7) seen->level++;
  return NULL;
}

static const char *run(uint32_t start) {
  struct pg_network_watch watch = {0};
  struct seen seen = {0};
  uint32_t now = start;
  int is_silent = below(2) == 0;
  for (int i = 0; i < STEPS; i++) {
    int has_link = below(is_silent ? 200 : 10) > 0;
    int32_t wake = pg_network_watch_wake_in(&watch, now);
    if ((wake >= 0) != (seen.has_doubt != 0)) return "wakes without a doubt, or sleeps with one";
    /* The host sometimes wakes too early, sometimes late. */
    now += wake > 0 && below(3) > 0 ? (uint32_t)wake : below(20000);
    if (below(8) == 0) {
      pg_network_watch_doubt(&watch, now);
      if (!seen.has_doubt) seen = (struct seen){.has_doubt = 1, .level = seen.level, .last_ms = now};
    }
    if (!is_silent && below(6) == 0) {
      pg_network_watch_received(&watch);
      seen = (struct seen){0};
    }
    const char *wrong = judge(&seen, pg_network_watch_next(&watch, now, has_link), now, has_link);
    if (!has_link) seen.has_doubt = seen.probes = seen.restarts = 0;
    if (wrong) return wrong;
    if (watch.level != seen.level) return "the level is another";
  }
  return NULL;
}

int main(int count, char **arguments) {
  uint32_t seed = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 1;
  for (uint32_t number = 0; number < RUNS; number++) {
    random_state = seed * 7919u + number;
    /* In half of the runs, the clock starts shortly before it wraps. */
    const char *wrong = run(below(2) ? 0u - below(3600000) : below(1u << 24));
    if (!wrong) continue;
    printf("run %u of seed %u: %s\n", number, seed, wrong);
    return 1;
  }
  printf("steps %ld probes %ld interfaces %ld devices %ld\n", (long)RUNS * STEPS,
         counts[PG_NETWORK_PROBE], counts[PG_NETWORK_RESTART_INTERFACE],
         counts[PG_NETWORK_RESTART_DEVICE]);
  return 0;
}
