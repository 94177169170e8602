/* Carries out the core's commands with storage.h, http.h and picogrant-port.h. Ports use host.h instead. */
#ifndef PICOGRANT_DRIVER_H
#define PICOGRANT_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "history.h"
#include "http.h"
#ifdef PG_KEYS
#include "keys.h"
#endif
#include "picogrant-port.h"
#include "picogrant.h"
#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Carries out PG_COMMAND_CHALLENGE for the `size` bytes of `range`, which starts at PG_DATA. Returns the value for
 * pg_storage_done: 1, or 0 if the range is too short, or the port has no random bytes or no SHA-256. */
int pg_code_challenge_make(uint8_t *range, size_t size);

/* The parts of a driver. The caller owns what they point to, and must not move it while the driver is in use. */
struct pg_driver_parts {
  struct pg_core *core;               /* an open core */
  struct pg_http *http;               /* opened with pg_driver_sink and the driver, or with pg_keys_sink (keys.h) */
  struct pg_history *history;
  const struct pg_settings *settings;
  uint8_t *memory;                    /* the memory passed to pg_core_open */
  const struct pg_medium *medium;     /* NULL: no records are stored */
  struct pg_display *display;         /* for pg_display_show */
  /* For API calls: `body` receives a response's body in pieces. `challenge` receives the WWW-Authenticate of a 401 byte
   * by byte (http-response.h). Each may be NULL. The driver passes `context` to both. */
  void (*body)(void *context, const uint8_t *bytes, size_t size);
  void (*challenge)(void *context, uint8_t c);
  void *context;
#ifdef PG_KEYS
  const struct pg_keys *keys;
#endif
};

/* The state of a driver. Each device has its own, and the caller owns it. Only driver.c uses the fields. */
struct pg_driver {
  struct pg_driver_parts parts;
  uint32_t last_ms;
  int got_response;
  int request_id;
  int endpoint;
  int status;
  int streams;
  int reason;    /* the result of pg_driver_reason when the display was last updated */
};

/* The sink for pg_http_open, with the driver as the context. */
extern const struct pg_http_sink pg_driver_sink;

/* Starts to drive an open core. Initializes `driver`, whose previous content does not matter. Copies `parts`. */
void pg_driver_start(struct pg_driver *driver, const struct pg_driver_parts *parts);

/* Passes the elapsed time to the core, and carries out the core's commands. Returns 1, or 0 if the core is broken or
 * its commands do not end. */
int pg_driver_run(struct pg_driver *driver);

/* Reports a user's action to the core. `event` is a function of the core. Returns the same as pg_driver_run. */
int pg_driver_happen(struct pg_driver *driver, void (*event)(struct pg_core *core));

/* Whether the API of the last call requires a stronger or newer sign-in (RFC 9470). */
int pg_driver_needs_sign_in(const struct pg_driver *driver);

/* Returns why a code request or a refresh got no response, or PG_REASON_KEY_CHANGED if the session of a replaced key
 * has failed; otherwise 0. A display of at most PG_REASON_CELLS cells shows this reason instead of the core's frame. */
int pg_driver_reason(const struct pg_driver *driver);

/* Whether any complete response has arrived since pg_driver_start. */
int pg_driver_got_response(const struct pg_driver *driver);

#ifdef __cplusplus
}
#endif

#endif
