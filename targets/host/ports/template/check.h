#ifndef PICOGRANT_CHECK_H
#define PICOGRANT_CHECK_H

#include <stdint.h>

/* This factor multiplies each time limit. Set it above 1 for a slow or busy machine, such as an emulator. */
#ifndef CHECK_SLOWNESS
#define CHECK_SLOWNESS 1
#endif

/* Prints `right`, or prints `wrong` and counts a failure. */
void check(int is_right, const char *right, const char *wrong);

/* 0 if a property could not be tested, for example without the check's server. */
extern int check_is_whole;

/* Whether `ms` milliseconds have passed since `start`, by the port's own clock. */
int check_is_over(uint32_t start, uint32_t ms);

/* Tests connections, and those properties of the clock and of the signer that need a server. */
void check_connection(void);

#endif
