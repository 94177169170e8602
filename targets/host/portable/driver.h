/* Carries out the core's commands over storage.h, http.h and picogrant-port.h. host.h is what a port calls. */
#ifndef PICOGRANT_DRIVER_H
#define PICOGRANT_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "history.h"
#include "http.h"
#include "picogrant-port.h"
#include "picogrant.h"
#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Carries out PG_COMMAND_CHALLENGE. The value for pg_storage_done: 0 without a random source or SHA-256. */
int pg_code_challenge_make(uint8_t *range, size_t size);

/* The parts of a driver. Everything pointed to is the caller's, and must stay in place while the device is driven. */
struct pg_driver_parts {
  struct pg_core *core;               /* open */
  struct pg_http *http;               /* open, with pg_driver_sink and the driver as its context */
  struct pg_history *history;
  const struct pg_settings *settings;
  uint8_t *memory;                    /* what pg_core_open got */
  const struct pg_medium *medium;     /* NULL: nothing is stored */
  struct pg_display *display;         /* for picogrant-port.h */
  /*
   * `body` receives the pieces of a call's response, `challenge` the WWW-Authenticate of a 401 (http-response.h); each
   * may be NULL. Both receive `context`.
   */
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  void (*challenge)(void *context, uint8_t c);
  void *context;
};

/* The caller's, one for each device; the fields are driver.c's own. */
struct pg_driver {
  struct pg_driver_parts parts;
  uint32_t last_ms;
  int got_response;
  /* Of the current exchange. */
  int request_id;
  int endpoint;
  int status;
  int streams;
  int reason;    /* that is on the display; PG_REASON_NONE: the core's frame is */
};

/* The sink for pg_http_open, with the driver as the context. */
extern const struct pg_http_sink pg_driver_sink;

/* Starts to drive an open core. Fills in `driver`, whatever it held; `parts` is copied. */
void pg_driver_start(struct pg_driver *driver, const struct pg_driver_parts *parts);

/* Advances the core by the elapsed time, and carries out all of its commands. 0: broken. */
int pg_driver_run(struct pg_driver *driver);

/* Reports a user's action to the core: `event` is one of its functions. 0: broken. */
int pg_driver_happen(struct pg_driver *driver, void (*event)(struct pg_core *core));

/* Whether the API of the last call requires a stronger or newer sign-in (RFC 9470). */
int pg_driver_needs_sign_in(const struct pg_driver *driver);

/* Whether an exchange has completed since the start, with any response. */
int pg_driver_got_response(const struct pg_driver *driver);

#ifdef __cplusplus
}
#endif

#endif
