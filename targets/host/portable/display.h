/*
 * A character display, which every port brings. ports/posix/terminal.c draws it in a terminal, or prints
 * each frame as lines where the output is no terminal; a firmware writes to its LCD.
 *
 * What a struct pg_display is, and who owns it, is the port's affair: one that has a single display need not have any,
 * and is given NULL.
 */
#ifndef PICOGRANT_DISPLAY_H
#define PICOGRANT_DISPLAY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pg_display;

/*
 * Shows a frame of columns * rows character codes, row by row: 32..126, and 128..255 only of texts of the maker's own.
 * The bytes stay the caller's, and are good for this call only. What goes wrong with the display is the port's own affair: the device goes on.
 * @param display what struct pg_host_parts has
 */
void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows);

#ifdef __cplusplus
}
#endif

#endif
