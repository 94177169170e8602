/*
 * The portable host: core, storage, network and display. A port's program consists of:
 *
 *   pg_host_open(&host, &parts)      once
 *   while (pg_host_step(&host)) {    works until there is nothing to do
 *     wait(pg_host_wake_in(&host));  the board's own function: waits for the network or a key of the user, at most this long
 *     for each pressed key: pg_host_key(&host, key)
 *   }
 *   pg_host_close(&host)
 *
 * A program may have several devices, each with its own struct pg_host, settings, memory, medium, connection and
 * display. The program steps the devices in turn, and sleeps for the minimum of their pg_host_wake_in.
 *
 * Call all functions from one thread, not from an interrupt. The callbacks of a device must not call its functions.
 */
#ifndef PICOGRANT_HOST_H
#define PICOGRANT_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "driver.h"
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

enum pg_key { PG_KEY_SIGN_IN, PG_KEY_CANCEL, PG_KEY_SIGN_OUT };

/* Reports for a log or for the application. They contain no secret. */
enum pg_report {
  PG_REPORT_STATE,  /* the state is now `a` (PG_STATE_*), with error `b` (PG_ERROR_CODE_*, 0: none) */
  /* A request of the grant has failed without a change of the state, and the device will retry it. `a` is the error
   * (PG_ERROR_CODE_*). `b` is the reason why there was no response (PG_REASON_*), or 0 if there was a response. PG_ERROR_FIELD
   * names the unusable member of that response, if any. Consecutive failures with equal `a` and `b` are reported once. */
  PG_REPORT_TROUBLE,
  PG_REPORT_CALL,   /* a call has ended with HTTP status `a` (0: no response) and error `b` (PG_ERROR_CODE_*) */
  PG_REPORT_BROKEN  /* the core can no longer be used; close the device and open it again */
};

/* The parts of a device. The caller owns everything that they point to, and must not move it until pg_host_close. */
struct pg_host_parts {
  const struct pg_settings *settings;
  const struct pg_engine *engine; /* NULL: no engine, or the engine's defaults */
  uint8_t *memory;                /* settings->memory_bytes bytes, for the host alone; pg_host_close wipes them */
  const struct pg_medium *medium; /* NULL: nothing is stored, and the display reports that */
  int has_failed_medium; /* 1: open the device even if the medium's slots are too small; longer records are not saved */
  struct pg_connection *connection; /* for the functions of picogrant-port.h; not shared with another device */
  /* 1: the connection stays open for the next request as long as the server allows, at most 10 minutes. The loop must then
   * also wake when data arrives on the idle connection, and when that connection ends. 0: each request opens a new connection. */
  int keeps_connection;
  const void *trust;                /* the trusted authorities, in the port's format */
  struct pg_wall_clock *clock;      /* the time for checking certificates; NULL: the machine has a reliable clock */
#ifdef PG_KEYS
  const struct pg_signer *signer;   /* the device's key; NULL: there is none, and no setting requires one */
#endif
  struct pg_display *display;       /* for pg_display_show; may be NULL in a port with one display */
  /* How long the display may show an outdated countdown, or the same part of a long address, in milliseconds. 0: the
   * board wakes at most once a second to update the display. With batteries, use 60000: the display then changes when a
   * poll wakes the board, and at least once a minute. You may change the value between two steps. */
  int countdown_ms;
  /* Callbacks, each of which may be NULL. They get `context`, for example a pointer to the program's data. */
  void (*report)(void *context, enum pg_report report, int a, int b);
  void (*body)(void *context, const uint8_t *bytes, size_t size); /* gets the body of a call's response in pieces */
  /* Gets the WWW-Authenticate of a 401 to a call byte by byte, with a line feed after each value. */
  void (*challenge)(void *context, uint8_t c);
  void *context;
};

/* Buffers for the server's names (`server` and `former_server` of struct pg_core_config) while the core is opened. */
enum { PG_HOST_NAME = 257 };
struct pg_host_names {
  char whole[PG_HOST_NAME];
  char origin[PG_HOST_NAME];
  const char *server;
  const char *former;
};

/* A device, owned by the caller. If all members are 0, the device is closed. You may read `core` (pg_get, pg_start,
 * pg_length) or pass it to pg_set_status, read `history` with pg_history_line, and use `http` between two exchanges
 * (pg_host_take_http). Only host.c uses the other members. */
struct pg_host {
  const struct pg_host_parts *parts; /* NULL: closed */
  struct pg_core core;
  struct pg_history history;
  struct pg_http http;
  struct pg_http_settings http_settings;
  struct pg_driver driver;
#ifdef PG_KEYS
  struct pg_keys keys;
#endif
  struct pg_host_names names;
  int moves;
  int trouble;
  int call;
  int ok;
};

/* Opens the device. `host` must not be open; its previous content does not matter. After an error, the device is
 * closed. Later, neither the host nor the core allocates memory, but the port may. */
enum pg_open_result pg_host_open(struct pg_host *host, const struct pg_host_parts *parts);

/* Returns how many bytes of memory the device needs if a value, a request or a record of the grant did not fit, or after
 * PG_OPEN_SMALL_MEMORY. 0: everything fits, more memory would not help, or the core is on an engine and did not open. */
int pg_host_memory_needed(struct pg_host *host);

/* Returns a message for developers, in one line: why the device did not open. "" for PG_OPEN_OK. */
const char *pg_host_problem(enum pg_open_result result);

/* Advances network and core as far as possible without waiting, and reports changes.
 * @return 1, or 0 if the core is broken: close it and start again */
int pg_host_step(struct pg_host *host);

/* Returns how long the board may sleep if neither a key nor the network wakes it, in milliseconds: 0..100000000. */
int pg_host_wake_in(struct pg_host *host);

/* Returns why a code request or a refresh got no response, or KEY_CHANGED (driver.h), as PG_REASON_*; 0: none. */
static inline int pg_host_reason(const struct pg_host *host) { return pg_driver_reason(&host->driver); }

/* Whether an updater may confirm a new firmware image. The core must work. In addition, a complete response must have
 * arrived since the start, or the device must be signed in or signed out, and then may not need a server. */
int pg_host_is_well(struct pg_host *host);

/* Handles a key of the user (pg_sign_in, pg_cancel, pg_sign_out). Later steps complete a request that this starts. */
void pg_host_key(struct pg_host *host, enum pg_key key);

/* Handles a key by its letter: 's' sign in, 'c' cancel, 'o' sign out. Returns 1, or 0 for other letters. */
int pg_host_letter(struct pg_host *host, int letter);

/* Sends a GET to a resource server while the device is signed in. `target` is a path and query of at most 512 bytes,
 * which are appended to the address of `endpoint` (PG_ENDPOINT_RESOURCE).
 * @return 1, or 0 if it cannot be sent, for example because the device is not signed in or another call is in progress */
int pg_host_call(struct pg_host *host, int endpoint, const char *target);

/* Whether the API of the last call requires a stronger or newer sign-in (RFC 9470). `challenge` has received what the
 * API requires. A refreshed token would not help, so the device reports the call with the error INTERACTION_REQUIRED.
 * Put the requirement into `device_parameters` before you open the device again. */
int pg_host_needs_sign_in(const struct pg_host *host);

/* Makes `http` usable for the device again, after the program has opened it for another use between two exchanges. */
void pg_host_take_http(struct pg_host *host);

/* Closes the device and wipes its memory. Has no effect on a closed device. An engine's `core.heap` can still be read. */
void pg_host_close(struct pg_host *host);

#ifdef __cplusplus
}
#endif

#endif
