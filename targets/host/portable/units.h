/* Any number of bytes on a medium that is read and programmed in units (medium.h). */
#ifndef PICOGRANT_UNITS_H
#define PICOGRANT_UNITS_H

#include "medium.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longer of the two units: what lies at a multiple of it can be read and programmed. */
uint32_t pg_medium_unit(const struct pg_medium *medium);

/* Whether its units are powers of two, none too long, and its slots whole numbers of them. */
int pg_medium_is_usable(const struct pg_medium *medium);

/*
 * Any number of bytes of a slot, from the beginning of a unit on. What is programmed is filled up with 0xff to the
 * end of its last unit, which counts as programmed from then on.
 */
enum pg_medium_result pg_medium_read(const struct pg_medium *medium, int slot, uint32_t at,
                                     uint8_t *into, size_t size);
enum pg_medium_result pg_medium_program(const struct pg_medium *medium, int slot, uint32_t at,
                                        const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
