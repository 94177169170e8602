/* Carries out the core's commands with storage.h, http.h and picogrant-port.h. Ports use host.h instead. */
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

/* Carries out PG_COMMAND_CHALLENGE. Returns the value for pg_storage_done: 0 without a random source or SHA-256. */
int pg_code_challenge_make(uint8_t *range, size_t size);

/* The parts of a driver. The caller owns what they point to, and must not move it while the driver is in use. */
struct pg_driver_parts {
  struct pg_core *core;               /* open */
  struct pg_http *http;               /* opened with pg_driver_sink, and with the driver as its context */
  struct pg_history *history;
  const struct pg_settings *settings;
  uint8_t *memory;                    /* the memory passed to pg_core_open */
  const struct pg_medium *medium;     /* NULL: no records are stored */
  struct pg_display *display;         /* passed to picogrant-port.h */
  /*
   * `body` receives the pieces of a call's response, `challenge` the WWW-Authenticate of a 401 (http-response.h). Each
   * may be NULL. Both get `context`.
   */
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  void (*challenge)(void *context, uint8_t c);
  void *context;
  uint16_t key; /* identifies the key to which tokens are bound; 0: none */
};

/* One for each device, owned by the caller. Only driver.c uses the fields. */
struct pg_driver {
  struct pg_driver_parts parts;
  uint32_t last_ms;
  int got_response;
  int request_id;
  int endpoint;
  int status;
  int streams;
  int reason;    /* on the display; PG_REASON_NONE: the core's frame is on it */
  uint8_t has_own_record;   /* a record of the device's key was loaded or stored */
  uint8_t has_other_record; /* a record of another key was loaded */
};

/* The sink for pg_http_open, with the driver as the context. */
extern const struct pg_http_sink pg_driver_sink;

/* Starts to drive an open core. Initializes `driver`, so its previous content does not matter. Copies `parts`. */
void pg_driver_start(struct pg_driver *driver, const struct pg_driver_parts *parts);

/* Passes the elapsed time to the core, and carries out the core's commands. Returns 0 if the core is broken. */
int pg_driver_run(struct pg_driver *driver);

/* Reports a user's action to the core. `event` is a function of the core. Returns 0 if the core is broken. */
int pg_driver_happen(struct pg_driver *driver, void (*event)(struct pg_core *core));

/* Whether the API of the last call requires a stronger or newer sign-in (RFC 9470). */
int pg_driver_needs_sign_in(const struct pg_driver *driver);

/* The reason on the display instead of the core's frame: why there is no response, or why a session has ended. */
int pg_driver_reason(const struct pg_driver *driver);

/* Whether any response has arrived since the start. */
int pg_driver_got_response(const struct pg_driver *driver);

#ifdef __cplusplus
}
#endif

#endif
