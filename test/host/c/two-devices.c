/*
 * Two devices in one program, on the engine that it is linked with: each lives as it does alone. A life is lived alone
 * first, then beside another, whose turns come in any order, also within calls that a device makes of its own display,
 * network, records and program; one signs in while the other is closed, broken, refused for want of heap, or opened
 * anew. Everything that anybody has seen of it must be the same to the byte: requests, frames, reports, records, times,
 * figures of the heap. Nothing of a heap may be left.
 *
 * Usage: two-devices SEED PAIRS TURNS. Output: `requests N frames N reports N calls N restarts N broken N refused N`, and
 * exit code 1 at the first difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device-life.h"

static struct life alone;
static struct life pair[2];
static uint32_t order;
static int turns_left[2];

static int below(int bound) {
  order = order * 1664525u + 1013904223u;
  return (int)((order >> 8) % (uint32_t)bound);
}

/* The other device's turn within this one's. */
static void interrupt(const struct life *life) {
  int other = life == &pair[0];
  if (life == &alone || pair[other].in_turn || turns_left[other] == 0 || below(12) > 0) return;
  turns_left[other]--;
  life_turn(&pair[other]);
}

static void live_beside(int turns) {
  turns_left[0] = turns_left[1] = turns;
  while (turns_left[0] + turns_left[1] > 0) {
    int which = below(2);
    if (turns_left[which] == 0) which = !which;
    turns_left[which]--;
    life_turn(&pair[which]);
  }
}

/* Says where two traces part. */
static void show_difference(const struct life *one, const struct life *other) {
  size_t at = 0;
  size_t line = 0;
  while (at < one->trace_size && at < other->trace_size && one->trace[at] == other->trace[at]) {
    if (one->trace[at++] == '\n') line = at;
  }
  printf("beside another device it differs, in byte %zu of %zu:\nalone:  %.300s\nbeside: %.300s\n", at, one->trace_size,
         one->trace + line, other->trace + line);
}

static void add(struct life_counts *sum, const struct life_counts *counts) {
  sum->requests += counts->requests;
  sum->frames += counts->frames;
  sum->reports += counts->reports;
  sum->calls += counts->calls;
  sum->restarts += counts->restarts;
  sum->broken += counts->broken;
  sum->refused += counts->refused;
}

/* Whether the device with this seed lives alone as it did beside another. */
static int is_same(const struct life *beside, uint32_t seed, int turns) {
  life_begin(&alone, seed);
  for (int i = 0; i < turns; i++) life_turn(&alone);
  life_end(&alone);
  int same = alone.trace_size == beside->trace_size && memcmp(alone.trace, beside->trace, alone.trace_size) == 0;
  if (!same) show_difference(&alone, beside);
  life_forget(&alone);
  return same;
}

int main(int count, char **words) {
  struct life_counts sum = {0};
  if (count != 4) return 2;
  uint32_t seed = (uint32_t)strtoul(words[1], NULL, 10);
  int pairs = atoi(words[2]);
  int turns = atoi(words[3]);
  life_pause = interrupt;
  for (int i = 0; i < pairs; i++, seed += 2) {
    order = seed;
    life_begin(&pair[0], seed);
    life_begin(&pair[1], seed + 1);
    live_beside(turns);
    for (int which = 0; which < 2; which++) {
      life_end(&pair[which]);
      add(&sum, &pair[which].counts);
      if (!is_same(&pair[which], seed + (uint32_t)which, turns)) return 1;
    }
    for (int which = 0; which < 2; which++) life_forget(&pair[which]);
  }
  printf("requests %ld frames %ld reports %ld calls %ld restarts %ld broken %ld refused %ld\n", sum.requests, sum.frames,
         sum.reports, sum.calls, sum.restarts, sum.broken, sum.refused);
  return 0;
}
