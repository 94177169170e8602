/*
 * The loop of picogrant.h carried out: commands of the core on one side; storage.h, http.h and display.h
 * on the other. This is the part that a firmware can take over as it is.
 */
#ifndef PICOGRANT_DRIVER_H
#define PICOGRANT_DRIVER_H

#include "config.h"
#include "http.h"

/* Where HTTP reports; for pg_http_open. */
extern const struct pg_http_sink pg_driver_sink;

/*
 * Begins to drive the open core. `config` and `memory` (what pg_core_open got) stay where they are.
 * `body` gets the pieces of an API's answer, and may be NULL.
 */
void pg_driver_start(const struct pg_config *config, uint8_t *memory,
                     void (*body)(const uint8_t *bytes, size_t size));

/* Lets the time that has passed pass in the core too, and carries out all that it asks for. 0: broken. */
int pg_driver_run(void);

/* Tells the core of something that the user did: `event` is one of its functions. 0: broken. */
int pg_driver_happen(void (*event)(void));

/* Milliseconds to sleep, for poll(2). */
int pg_driver_wait_ms(void);

#endif
