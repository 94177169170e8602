/*
 * The loop of picogrant.h carried out: commands of the core on one side; storage.h, http.h and display.h
 * on the other. host.h is what a port calls.
 */
#ifndef PICOGRANT_DRIVER_H
#define PICOGRANT_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "http.h"
#include "medium.h"
#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where HTTP reports; for pg_http_open. */
extern const struct pg_http_sink pg_driver_sink;

/*
 * Begins to drive the open core. `settings`, `memory` (what pg_core_open got) and `medium` stay where they are;
 * without a medium (NULL) nothing is kept.
 * `body` gets the pieces of a call's answer, `challenge` the WWW-Authenticate of one of 401 (http-answer.h); each may be
 * NULL.
 */
void pg_driver_start(const struct pg_settings *settings, uint8_t *memory,
                     const struct pg_medium *medium,
                     void (*body)(const uint8_t *bytes, size_t size), void (*challenge)(uint8_t c));

/* Lets the time that has passed pass in the core too, and carries out all that it asks for. 0: broken. */
int pg_driver_run(void);

/* Tells the core of something that the user did: `event` is one of its functions. 0: broken. */
int pg_driver_happen(void (*event)(void));

/* Whether the API of the last call wants a stronger or newer sign-in (RFC 9470). */
int pg_driver_wants_sign_in(void);

/* Whether an exchange was completed since the start: a server has answered, whatever it said. */
int pg_driver_was_answered(void);

#ifdef __cplusplus
}
#endif

#endif
