/* SPDX-License-Identifier: MIT */
/*
 * The API of the core for a host in C: which functions the host calls, in which order, and who owns which bytes. The core
 * is picogrant.c, or a script on an engine (engines/).
 *
 * The host calls the core, and the core never calls the host. They exchange only small integers and byte ranges.
 *
 *   pg_core_open(&core, ...)                   once; an engine allocates all its memory here
 *   loop:
 *     command = pg_tick(&core, elapsed)        then, until it is PG_COMMAND_NONE:
 *       carry the command out                  (below), and command = pg_tick(&core, 0)
 *     sleep for pg_wake_in(&core), or until something happens
 *     something happened: tick until NONE as above, report the event to the core, and tick until NONE again
 *   pg_core_close(&core)
 *
 * The commands, and the calls that complete them (without their first argument, the core):
 *   SEND    pg_get(PG_REQUEST_ID), (PG_ENDPOINT), (PG_IS_GET: 1 GET, 0 POST); the request's target is
 *           the endpoint's address and memory[PG_TARGET .. + PG_TARGET_LENGTH), its body is
 *           memory[PG_BODY .. + PG_BODY_LENGTH); PG_AUTHORIZATION: the header `Authorization: Bearer`
 *           with the bytes of region PG_FIELD_ACCESS_TOKEN, or `Authorization: Basic` with those of
 *           PG_REGION_CLIENT_CREDENTIALS; PG_IS_JSON: 1 sends the fields of the form as a JSON object. Then
 *           pg_response_start, pg_response_body any number of times, and pg_response_end; or at any time
 *           pg_response_failed, which ends the exchange.
 *   ABORT   end the current exchange, and report nothing more of it to the core.
 *   SHOW    display columns * rows character codes at memory[pg_start(PG_REGION_FRAME)]: 32..126, and 128..255 in texts
 *           of the developer.
 *   LOAD    read slot PG_SLOT into memory[PG_DATA ..], PG_DATA_LENGTH bytes at most; then pg_storage_done(size):
 *           0 empty, -1 unreadable.
 *   STORE   write memory[PG_DATA .. + PG_DATA_LENGTH) to slot PG_SLOT, durably; pg_storage_done(1), or (0) on failure.
 *   ERASE   empty slot PG_SLOT, durably; pg_storage_done(1), or (0) on failure.
 *   CHALLENGE  write a fresh code verifier of 43 bytes (RFC 7636) to memory[PG_DATA ..] and its challenge of 43 bytes to
 *           the end of the PG_DATA_LENGTH bytes; pg_storage_done(1), or (0) if the host cannot make them. The core then
 *           repeats the command with growing waits. The seventh consecutive failure is the error NO_CODE_CHALLENGE.
 *   VERIFY  only for hosts that poll for security events: check signature, issuer and audience of the compact JWS in
 *           memory[PG_DATA .. + PG_DATA_LENGTH); pg_event_verified(PG_REQUEST_ID, 1) or (PG_REQUEST_ID, 0) within 120 s.
 *
 * Ranges: integers are in [-2^27, 2^27 - 1]. elapsed and wake_in are milliseconds, 0..100000000; a longer sleep counts
 * as 100000000. A request id is 0..65535, a status 100..599, Retry-After in seconds or -1.
 *
 * Ownership: the caller owns struct pg_core, and must not move it between pg_core_open and pg_core_close. The core owns
 * the memory until then. The host may read it, and writes only for LOAD and CHALLENGE. The ranges of a command do not
 * change until it is done, those of SEND until the exchange ends. The core copies bytes that it gets.
 *
 * Threads: use one for all devices. Never call from an interrupt, a signal handler, or within a call for the same device.
 */
#ifndef PICOGRANT_H
#define PICOGRANT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#if defined INT_MAX && INT_MAX < 2147483647
#error "picogrant needs an int of 32 bits: this compiler's is smaller"
#endif

/* The core's enums and enum pg_property are generated (core/SPEC.md, "Properties for hosts"; PG_WAIT_MS is
 * `waitMs`). */
#include "picogrant-numbers.h"
/* struct pg_core is generated together with picogrant.c, or comes from engines/. */
#include "picogrant-core.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pg_engine;

/* Settings (core/device/config.ts). Omitted members have defaults, except client_id, server, columns and rows. */
struct pg_core_config {
  const char *client_id;
  const char *client_secret;     /* NULL or "": a client without a secret */
  const char *scope;
  const char *device_parameters; /* for device authorization requests, encoded, starting with '&'; NULL or "": none */
  const char *token_parameters;  /* the same for token requests */
  int columns;                   /* 16..80 */
  int rows;                      /* 2..8 */
  int seed;                      /* random, 0..67108863 */
  int auto_start;                /* 1: requests a code at the start */
  int renewals_max;              /* how often an expired code is replaced without the user: 0..1000 */
  int start_spread_ms;           /* the longest random wait before the first request: 1..3600000; 0: 5000; or PG_START_AT_ONCE */
  int pkce;                      /* enum pg_pkce */
  int json_bodies;               /* 1: grant requests have JSON bodies (PG_IS_JSON); 0: only after a 415 */
  int client_authentication;     /* enum pg_client_authentication */
  const char *messages;          /* display texts, as in struct pg_settings; NULL or "": the core's own */
  const char *server;            /* the issuer, or the address of the token endpoint */
  const char *former_server;     /* the server's name in records of an older version; these stay valid; "": none */
  const struct pg_engine *engine; /* the engine (engines/picogrant-core.h); NULL: its defaults, or none */
};

enum pg_open_result {
  PG_OPEN_OK = 0,
  PG_OPEN_NO_HEAP,         /* with an engine: the heap's limit is too low for the engine and the core */
  PG_OPEN_INVALID_CODE,    /* with an engine: the code is invalid, or for another version of the engine */
  PG_OPEN_SMALL_MEMORY,    /* `size` is less than PG_MEMORY_NEEDED. On an engine, also for a setting that is out of range */
  PG_OPEN_INVALID_CONFIG,  /* a setting is missing or out of range. For the core as C, pg_config_error names it */
  PG_OPEN_OTHER_RELEASE,   /* with an engine: the code is of another release than this host (PICOGRANT_VERSION_NUMBER) */
  PG_OPEN_SMALL_STORAGE    /* from pg_host_open: a slot of the medium is smaller than the longest record */
};

/* Opens a device. With an engine, creates it or uses the firmware's own, and runs the core's code.
 * @param core owned by the caller; its previous content does not matter, but close an open core first
 * @param memory `size` bytes, which the device uses until pg_core_close; at most 65535 bytes are used
 * @param config only read during the call
 * @return PG_OPEN_OK, or the error. After an error, only PG_MEMORY_NEEDED may be read; with an engine, it is 0 */
enum pg_open_result pg_core_open(struct pg_core *core, uint8_t *memory, size_t size, const struct pg_core_config *config);

/* Closes a core, and an engine that pg_core_open has created. Has no effect on a closed core. An engine's `heap` can
 * still be read. The memory still contains secrets, so the host must wipe it. */
void pg_core_close(struct pg_core *core);

/* Returns 1 if an engine has thrown. Later results are not reliable: close the core and open it again. It then resumes
 * from the records. */
int pg_core_broken(const struct pg_core *core);

/* Passes the elapsed time to the core.
 * @param elapsed_ms milliseconds since the last call, at most 100000000; a larger value counts as that
 * @return the next command, or PG_COMMAND_NONE */
int pg_tick(struct pg_core *core, int elapsed_ms);

/* Returns the milliseconds until pg_tick has something to do, 0..100000000. A longer sleep delays polls. */
int pg_wake_in(struct pg_core *core);

/* Reports the head of the response. All functions with a request id ignore the id of an earlier request.
 * @param request_id PG_REQUEST_ID at the command SEND
 * @param status HTTP status, 100..599
 * @param retry_after_s seconds of Retry-After (RFC 9110 section 10.2.3), -1 if absent
 * @return 1 for a call whose body the application may also read as it arrives; 0 if only the core reads the body, or if
 * the core repeats the call after this 401 */
int pg_response_start(struct pg_core *core, int request_id, int status, int retry_after_s);

/* Sets which endpoints have an address, with one bit each such as `1 << PG_ENDPOINT_TOKEN`. Initially, all endpoints
 * have an address. No request is sent to an endpoint without an address: a revocation succeeds at once, and any other
 * request fails as if there were no connection. */
void pg_set_endpoints(struct pg_core *core, int endpoints);

/* Passes a piece of WWW-Authenticate, which may require another sign-in. Call this before pg_response_start. */
void pg_response_challenge(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size);

/* Passes a piece of the body, of any size. The bytes are copied. */
void pg_response_body(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size);

/* Reports that the response is complete. */
void pg_response_end(struct pg_core *core, int request_id);

/* Reports at any time that there is no complete response: no connection, a timeout, or an untrusted certificate. */
void pg_response_failed(struct pg_core *core, int request_id);

/* Reports the result of LOAD (bytes read; 0 empty; -1 unreadable), or of STORE, ERASE and CHALLENGE (1 done, 0 failed). */
void pg_storage_done(struct pg_core *core, int result);

/* Reports that the user wants to sign in. Requests a code, or a new one if a code is shown (RFC 8628 section 3.1). Has no
 * effect during a session, unless the server refuses to refresh the tokens. Then the first call retries at once, and a
 * second one discards the tokens and requests a code. */
void pg_sign_in(struct pg_core *core);

/* Cancels a sign-in or a revocation, or dismisses a final error. If the server refuses to refresh the tokens, discards
 * them without revoking them. Has no effect during any other session. */
void pg_cancel(struct pg_core *core);

/* Signs out. The session ends at once, and a restart does not resume it. The tokens are revoked (RFC 7009) and erased.
 * Without a session, has the same effect as pg_cancel. */
void pg_sign_out(struct pg_core *core);

/* Sets the application's line below "Signed in": printable ASCII, at most 512 bytes. NULL or "" removes it. */
void pg_set_status(struct pg_core *core, const char *text);

/* Sends a GET of `target` (path and query, at most 512 bytes) to PG_ENDPOINT_RESOURCE or a later one. Returns 1, or 0
 * if it cannot be sent. PG_CALL_STATE is DONE when the call has ended. */
int pg_call_resource(struct pg_core *core, int endpoint, const char *target);

/* Returns an integer property of the device. The result is 0 for the arrays PG_MEMORY, PG_START, PG_LENGTH, PG_CAPACITY
 * and PG_CALL_BODY. PG_MEMORY is what you passed to pg_core_open. The functions below read the next three arrays. */
int pg_get(const struct pg_core *core, enum pg_property property);

/* Return the position of a region or field in the memory, its length (-1: absent), its capacity (-1: none of its own). */
int pg_start(const struct pg_core *core, int region);
int pg_length(const struct pg_core *core, int region);
int pg_capacity(const struct pg_core *core, int region);

#ifdef __cplusplus
}
#endif

#endif
