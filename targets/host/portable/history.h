/*
 * Recent events: a short list that can be sent to support. It contains names and numbers only, never the content of a
 * request, a response or a record, so no secret.
 *
 *   char line[PG_HISTORY_LINE];
 *   for (int i = 0; pg_history_line(&host.history, i, line); i++) print(line);
 *
 * Call it from the thread of the host's loop (host.h).
 */
#ifndef PICOGRANT_HISTORY_H
#define PICOGRANT_HISTORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of entries, and the longest line including its final 0. */
enum { PG_HISTORY_ENTRIES = 24, PG_HISTORY_LINE = 112 };

enum pg_happened {
  PG_HAPPENED_STATE,       /* the device came to state `who` (PG_STATE_*) */
  PG_HAPPENED_RESPONSE,    /* endpoint `who` (PG_ENDPOINT_*) responded with HTTP status `number` */
  PG_HAPPENED_NO_RESPONSE,   /* endpoint `who` was unreachable, or broke off: `number` is the reason (PG_REASON_*) */
  PG_HAPPENED_NOT_READ,    /* slot `who` could not be read, */
  PG_HAPPENED_NOT_WRITTEN, /* written, */
  PG_HAPPENED_NOT_ERASED   /* or erased */
};

/* One thing; the fields are history.c's own, here and below. */
struct pg_history_entry {
  uint32_t ms;
  uint16_t number;
  uint16_t times;
  uint8_t what;
  uint8_t who;
  uint8_t error;
};

/* The caller's, one for each device; zeros mean that nothing is recorded. */
struct pg_history {
  struct pg_history_entry entries[PG_HISTORY_ENTRIES];
  int oldest;
  int count;
};

/* Clears everything: the host does it when it opens. */
void pg_history_open(struct pg_history *history);

/*
 * Records an event; `error`: PG_ERROR_CODE_*, 0 for none. Consecutive equal events are counted, so that polls displace
 * nothing. A new entry replaces the oldest.
 */
void pg_history_note(struct pg_history *history, enum pg_happened what, int who, int number,
                     int error);

/*
 * An entry as a line without its end, the oldest first: seconds of the port's clock (picogrant-port.h) of its last
 * occurrence, and the event.
 * @param index 0 ..
 * @return 1, or 0 if there are no more
 */
int pg_history_line(const struct pg_history *history, int index, char line[PG_HISTORY_LINE]);

#ifdef __cplusplus
}
#endif

#endif
