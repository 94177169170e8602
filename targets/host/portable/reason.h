/* Texts of PG_REASON_* for log and display: why there is no response, or that the device's key was replaced. */
#ifndef PICOGRANT_REASON_H
#define PICOGRANT_REASON_H

#include <stdint.h>

#include "picogrant-numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most cells of a display on which a reason is drawn. A larger display shows the core's own message. */
enum { PG_REASON_CELLS = 160 };

/* Returns a reason as one sentence for a log, "" for PG_REASON_NONE and other numbers. */
const char *pg_reason_sentence(int reason);

/* Draws a reason as a frame of columns * rows cells, at most PG_REASON_CELLS.
 * @param texts one line of UTF-8 for each reason from 1 on; "|" begins a new row of the display. For an empty or
 * missing line, the built-in text is drawn; so "" or NULL means the built-in texts
 * @return 1, or 0 if nothing is drawn, because there is no reason or the display is too large */
int pg_reason_frame(const char *texts, int reason, uint8_t *frame, int columns, int rows);

#ifdef __cplusplus
}
#endif

#endif
