/*
 * Records recent events in a short list for support. The list contains only names and numbers, never the content of a
 * request, a response or a record, so it contains no secret.
 *
 *   char line[PG_HISTORY_LINE];
 *   for (int i = 0; pg_history_line(&host.history, i, line); i++) print(line);
 *
 * Call pg_history_line from the thread of the host's loop (host.h).
 */
#ifndef PICOGRANT_HISTORY_H
#define PICOGRANT_HISTORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The capacity of the list, and the buffer size of a line with its final 0. The end of a longer line is cut. */
enum { PG_HISTORY_ENTRIES = 24, PG_HISTORY_LINE = 112 };

enum pg_happened {
  PG_HAPPENED_STATE,       /* the device has entered state `who` (PG_STATE_*) */
  PG_HAPPENED_RESPONSE,    /* endpoint `who` (PG_ENDPOINT_*) responded with HTTP status `number` */
  PG_HAPPENED_NO_RESPONSE,   /* endpoint `who` gave no complete response; `number` is the reason (PG_REASON_*) */
  PG_HAPPENED_NOT_READ,    /* record slot `who` could not be read */
  PG_HAPPENED_NOT_WRITTEN, /* record slot `who` could not be written */
  PG_HAPPENED_NOT_ERASED   /* record slot `who` could not be erased */
};

/* An entry of the list. Only history.c uses the fields of this struct and of struct pg_history. */
struct pg_history_entry {
  uint32_t ms;
  uint16_t number;
  uint16_t times;
  uint8_t what;
  uint8_t who;
  uint8_t error;
};

/* The list of a device, part of struct pg_host. If all members are 0, the list is empty. */
struct pg_history {
  struct pg_history_entry entries[PG_HISTORY_ENTRIES];
  int oldest;
  int count;
};

/* Records an event. `error` is PG_ERROR_CODE_*, or 0 for none. Equal consecutive events share an entry with a counter,
 * so that polls do not displace other events. If the list is full, a new entry replaces the oldest one. */
void pg_history_note(struct pg_history *history, enum pg_happened what, int who, int number,
                     int error);

/* Writes an entry as text without a line end: the time at which the event last occurred, in seconds of the port's clock
 * (pg_clock_ms), and the event.
 * @param index 0 is the oldest entry
 * @return 1, or 0 if there is no such entry */
int pg_history_line(const struct pg_history *history, int index, char line[PG_HISTORY_LINE]);

#ifdef __cplusplus
}
#endif

#endif
