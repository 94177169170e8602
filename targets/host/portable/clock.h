/* Time and chance of the board: a clock that goes on in suspend, and random bits. */
#ifndef PICOGRANT_CLOCK_H
#define PICOGRANT_CLOCK_H

#include <stdint.h>

/* Milliseconds since any moment; wraps at 2^32. */
uint32_t pg_clock_ms(void);

/* 26 random bits, for jitter; 0 where there are none. */
int pg_random_seed(void);

#endif
