/*
 * The portable host: core, storage, network and display. A port's program consists of:
 *
 *   pg_host_open(&host, &parts)      once
 *   while (pg_host_step(&host)) {    works until there is nothing to do
 *     wait(pg_host_wake_in(&host));  the board's own: returns on network, key or time
 *     for each key: pg_host_key(&host, key)
 *   }
 *   pg_host_close(&host)
 *
 * A program may have several devices, each with its own struct pg_host, settings, memory, medium, connection and
 * display. It steps them in turn, and sleeps for the shortest of their pg_host_wake_in.
 *
 * Call everything from one thread, nothing from an interrupt, and nothing of a device from within its own reports.
 */
#ifndef PICOGRANT_HOST_H
#define PICOGRANT_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "driver.h"
#include "history.h"
#include "http.h"
#include "picogrant-port.h"
#include "picogrant.h"
#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pg_key { PG_KEY_SIGN_IN, PG_KEY_CANCEL, PG_KEY_SIGN_OUT };

/* Reports for a log or the application. They contain no secret. */
enum pg_report {
  PG_REPORT_STATE,  /* the state is now `a` (PG_STATE_*), with error `b` (PG_ERROR_CODE_*, 0: none) */
  /*
   * A request of the grant has failed, and the device retries: error `a` (PG_ERROR_CODE_*), reason `b` (PG_REASON_*, 0
   * if there was a response; then PG_ERROR_FIELD names the unusable member, if any). Reported once until they change.
   */
  PG_REPORT_TROUBLE,
  PG_REPORT_CALL,   /* a call has ended: HTTP status `a`, 0 without a response; error `b` */
  PG_REPORT_BROKEN  /* the engine threw; restart the device */
};

/* The parts of a device: the caller's. Everything pointed to must stay in place until pg_host_close. */
struct pg_host_parts {
  const struct pg_settings *settings;
  const struct pg_engine *engine; /* as struct pg_core_config has it */
  uint8_t *memory;                /* settings->memory_bytes; not the caller's until pg_host_close, which wipes it */
  const struct pg_medium *medium; /* NULL: nothing is stored, and the display shows that */
  int has_failed_medium; /* 1: read what it has, even with small slots; records that do not fit are not saved */
  struct pg_connection *connection; /* for picogrant-port.h; no other device's */
  /*
   * 1: the connection stays open for the next request while the server keeps it; whatever arrives on it, including its
   * end, must wake the loop. 0: each request opens a new one.
   */
  int keeps_connection;
  const void *trust;                /* for picogrant-port.h */
  struct pg_wall_clock *clock;      /* by which the port's TLS judges certificates; NULL: the machine knows the time */
  struct pg_display *display;       /* for picogrant-port.h; NULL where the port has a single one */
  /*
   * How long the countdown of a code, and an address with several pages, may stand still; 0: not at all, which wakes
   * the board each second. A minute on batteries: they continue when a poll wakes the board, or after that time. May be
   * changed between two steps.
   */
  int countdown_ms;
  /* Each of the three may be NULL; all receive `context`: the program's own device, if it has several. */
  void (*report)(void *context, enum pg_report report, int a, int b);
  void (*body)(void *context, const uint8_t *bytes, size_t size); /* pieces of a call's response */
  /* WWW-Authenticate of a call's 401, with a line feed after each value. */
  void (*challenge)(void *context, uint8_t c);
  void *context;
};

/* The server's name for the core, while the core is being created. */
enum { PG_HOST_NAME = 257 };
struct pg_host_names {
  char whole[PG_HOST_NAME];
  char origin[PG_HOST_NAME];
  const char *server;
  const char *former;
};

/*
 * A device. The caller's; zeros mean closed. Read `core` (pg_get, pg_start, pg_length) or pass it to pg_set_status,
 * read `history` with pg_history_line, and borrow `http` with pg_host_take_http. The rest is host.c's.
 */
struct pg_host {
  const struct pg_host_parts *parts; /* NULL: closed */
  struct pg_core core;
  struct pg_history history;
  struct pg_http http;
  struct pg_http_settings http_settings;
  struct pg_driver driver;
  struct pg_host_names names;
  int moves;
  int trouble;
  int call;
  int ok;
  int has_challenge; /* the buffer had space for a code challenge (RFC 7636) */
};

/* Creates the device. Fills in `host`, which must not be open, whatever it held. Nothing is allocated afterwards. */
enum pg_open_result pg_host_open(struct pg_host *host, const struct pg_host_parts *parts);

/*
 * The memory that would suffice if something of the grant did not fit, including a code challenge (RFC 7636), which a
 * larger memory allows; 0: nothing is missing, or more memory does not help.
 */
int pg_host_memory_needed(struct pg_host *host);

/* For developers: why it did not open, in one line. "" for PG_OPEN_OK. */
const char *pg_host_problem(enum pg_open_result result);

/*
 * Advances network and core as far as possible without waiting, and reports.
 * @return 1, or 0 if the core is broken: close it and start again
 */
int pg_host_step(struct pg_host *host);

/* Milliseconds that the board may sleep if neither a key nor the network wakes it: 0..134217727. */
int pg_host_wake_in(struct pg_host *host);

/*
 * Whether the firmware works, for an updater that must confirm a new image: a server has responded, in any way, or the
 * device is idle without needing one.
 */
int pg_host_is_well(struct pg_host *host);

/* The user has pressed a key. Its effect comes before this returns, or in later steps. */
void pg_host_key(struct pg_host *host, enum pg_key key);

/* The same by a letter: 's' sign in, 'c' cancel, 'o' sign out. 1, or 0 for other letters. */
int pg_host_letter(struct pg_host *host, int letter);

/*
 * Calls a resource server once the device is signed in: a GET of `target`, an unchanged path and query of at most 512
 * bytes, below the address of `endpoint` (PG_ENDPOINT_RESOURCE ..).
 * @return 1, or 0 if it cannot be sent: not signed in, a call is in progress, or a build without calls
 */
int pg_host_call(struct pg_host *host, int endpoint, const char *target);

/*
 * Whether the API of the last call requires a stronger or newer sign-in (RFC 9470): `challenge` has received which. No
 * token is refreshed for it, and the call is reported with 403. The requirement goes into `device_parameters` of the
 * next device.
 */
int pg_host_needs_sign_in(const struct pg_host *host);

/* Borrows `http` between two exchanges of the device, by opening it for another use, and returns it. */
void pg_host_take_http(struct pg_host *host);

/* Ends everything, and wipes the device's memory; has no effect on a closed one. The heap's figures stay. */
void pg_host_close(struct pg_host *host);

#ifdef __cplusplus
}
#endif

#endif
