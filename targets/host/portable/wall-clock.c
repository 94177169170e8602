#include "wall-clock.h"

#include "picogrant-numbers.h"
#include "picogrant-port.h"

enum { HOUR_MS = 3600000, DAY_S = 86400, MINUTE_S = 60 };

static uint32_t apart(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

/* Advances both times by the time that has passed on the machine's clock. */
static void advance_clock(struct pg_wall_clock *clock) {
  uint32_t seconds = (pg_clock_ms() - clock->at_ms) / 1000;
  clock->at_ms += seconds * 1000;
  if (clock->wall_s) clock->wall_s += seconds;
  if (clock->hint_s) clock->hint_s += seconds;
}

void pg_wall_clock_earliest(struct pg_wall_clock *clock, uint32_t wall_s) {
  if (wall_s > clock->stored.earliest_s) clock->stored.earliest_s = wall_s;
  if (clock->stored.earliest_s > clock->stored.last_s) clock->stored.last_s = clock->stored.earliest_s;
  if (clock->wall_s < clock->stored.last_s) clock->is_sure = 0;
}

int pg_wall_clock_set(struct pg_wall_clock *clock, uint32_t wall_s) {
  advance_clock(clock);
  clock->wall_s = wall_s;
  clock->is_sure = wall_s > 0 && wall_s >= clock->stored.last_s;
  return clock->is_sure;
}

void pg_wall_clock_hint(struct pg_wall_clock *clock, uint32_t wall_s) {
  advance_clock(clock);
  clock->hint_s = wall_s >= clock->stored.last_s ? wall_s : 0;
}

uint32_t pg_wall_clock_now(struct pg_wall_clock *clock) {
  advance_clock(clock);
  return clock->is_sure ? clock->wall_s : clock->hint_s;
}

void pg_wall_clock_begin(struct pg_wall_clock *clock) {
  clock->from_s = clock->until_s = 0;
  clock->holds = 0;
}

uint32_t pg_wall_clock_judge(struct pg_wall_clock *clock, uint32_t from_s, uint32_t until_s) {
  advance_clock(clock);
  const uint32_t known[] = {clock->is_sure ? clock->wall_s : 0, clock->hint_s};
  clock->from_s = from_s;
  clock->until_s = until_s;
  clock->holds = 1;
  for (int i = 0; i < 2; i++) {
    if (known[i] && known[i] >= from_s && known[i] <= until_s) return known[i];
  }
  clock->holds = 0;
  return from_s > clock->stored.last_s ? from_s : clock->stored.last_s;
}

int pg_wall_clock_holds(struct pg_wall_clock *clock) {
  clock->is_sure &= clock->holds;
  return clock->holds;
}

/* Stores the time, at most once an hour. That is less than a million writes in a hundred years, which an EEPROM endures. */
static void keep(struct pg_wall_clock *clock, int is_news) {
  int is_due = !clock->has_stored || pg_clock_ms() - clock->stored_ms >= HOUR_MS;
  if (!is_due || (!is_news && apart(clock->wall_s, clock->stored.last_s) < DAY_S)) return;
  if (clock->from_s > clock->stored.earliest_s) clock->stored.earliest_s = clock->from_s;
  clock->stored.last_s = clock->wall_s;
  clock->stored_ms = pg_clock_ms();
  clock->has_stored = 1;
  clock->keep(&clock->stored, clock->wall_s);
}

int pg_wall_clock_date(struct pg_wall_clock *clock, int64_t date_s, int is_stored) {
  uint32_t earliest_s = is_stored ? clock->stored.earliest_s : clock->stored.last_s;
  if (!clock->until_s || date_s < clock->from_s || date_s < earliest_s) return PG_REASON_CLOCK_WRONG;
  if (date_s > clock->until_s) return PG_REASON_OUT_OF_DATE;
  advance_clock(clock);
  uint32_t wall_s = (uint32_t)date_s;
  int is_news = !clock->is_sure || apart(wall_s, clock->wall_s) > MINUTE_S;
  clock->wall_s = wall_s;
  clock->hint_s = 0;
  clock->is_sure = 1;
  if (is_stored) keep(clock, is_news);
  return PG_REASON_NONE;
}
