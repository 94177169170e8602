/* What the two files of the check share: check.c tries clock, chance, medium and display, check-connection.c the rest. */
#ifndef PICOGRANT_CHECK_H
#define PICOGRANT_CHECK_H

#include <stdint.h>

/* How many times slower than a device at rest the machine may be, as an emulator's is: each limit of time grows by it. */
#ifndef CHECK_SLOWNESS
#define CHECK_SLOWNESS 1
#endif

/* Says a line of the two, and counts the second. */
void check(int is_right, const char *right, const char *wrong);

/* 0: something could not be tried. */
extern int check_is_whole;

/* Whether so much time has passed, by the port's own clock. */
int check_is_over(uint32_t start, uint32_t ms);

/* Connections, and what only a server sees of the clock. */
void check_connection(void);

#endif
