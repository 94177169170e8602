/* Why there is no connection (PG_REASON_*, from the table that all hosts share), for a log and for the display. */
#ifndef PICOGRANT_REASON_H
#define PICOGRANT_REASON_H

#include <stdint.h>

#include "picogrant-numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The cells of the largest display that gets reasons; a larger one shows the core's own message. */
enum { PG_REASON_CELLS = 160 };

/* For a log: one sentence, "" for PG_REASON_NONE and what is none. */
const char *pg_reason_sentence(int reason);

/*
 * Lays a reason out as a frame of columns * rows cells, at most PG_REASON_CELLS of them.
 * @param texts in the table's order, a line each, in UTF-8 as struct pg_settings has them; "": the table's own
 * @return 1, or 0 where there is nothing to show: no reason, or too large a display
 */
int pg_reason_frame(const char *texts, int reason, uint8_t *frame, int columns, int rows);

#ifdef __cplusplus
}
#endif

#endif
