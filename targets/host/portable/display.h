/*
 * A character display, which every port brings. ports/posix/terminal.c draws it in a terminal, or prints
 * each frame as lines where the output is no terminal; a firmware writes to its LCD.
 */
#ifndef PICOGRANT_DISPLAY_H
#define PICOGRANT_DISPLAY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Shows a frame of columns * rows printable ASCII codes, row by row. The bytes stay the caller's, and are
 * good for this call only. What goes wrong with the display is the port's own affair: the device goes on.
 */
void pg_display_show(const uint8_t *cells, int columns, int rows);

#ifdef __cplusplus
}
#endif

#endif
