/*
 * What happened last: a short list that one can send to support. Names and numbers alone, never what was in a request,
 * an answer or a record, so that no secret can be in it.
 *
 *   char line[PG_HISTORY_LINE];
 *   for (int i = 0; pg_history_line(&host.history, i, line); i++) print(line);
 *
 * From the thread of the host's loop (host.h).
 */
#ifndef PICOGRANT_HISTORY_H
#define PICOGRANT_HISTORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many things are remembered, and the longest line with the 0 at its end. */
enum { PG_HISTORY_ENTRIES = 24, PG_HISTORY_LINE = 112 };

enum pg_happened {
  PG_HAPPENED_STATE,       /* the device came to state `who` (PG_STATE_*) */
  PG_HAPPENED_RESPONSE,    /* endpoint `who` (PG_ENDPOINT_*) answered with HTTP status `number` */
  PG_HAPPENED_NO_RESPONSE,   /* endpoint `who` could not be asked, or broke off: `number` is the reason (PG_REASON_*) */
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

/* The caller's, one for each device; as zeros it remembers nothing. */
struct pg_history {
  struct pg_history_entry entries[PG_HISTORY_ENTRIES];
  int oldest;
  int count;
};

/* Forgets everything: the host does it when it opens. */
void pg_history_open(struct pg_history *history);

/*
 * Something has happened; `error`: PG_ERROR_CODE_*, 0 for none. The same again right after it is counted, so that polls
 * drive nothing out. The oldest entry makes room for a new one.
 */
void pg_history_note(struct pg_history *history, enum pg_happened what, int who, int number,
                     int error);

/*
 * One entry as a line without its end, the oldest first: seconds of the port's clock (picogrant-port.h) when it happened last,
 * and what it was.
 * @param index 0 ..
 * @return 1, or 0 where there are no more
 */
int pg_history_line(const struct pg_history *history, int index, char line[PG_HISTORY_LINE]);

#ifdef __cplusplus
}
#endif

#endif
