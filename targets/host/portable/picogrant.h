/*
 * The border between the core and a host in C: what the host may call, in which order, and who owns
 * which bytes. Behind it is the core as C, picogrant.c, or the core as a script on an engine: each folder of engines/
 * carries it to one, and a firmware with another engine writes a file like those and keeps the rest.
 *
 * The host drives, the core never calls out. Only small integers and byte ranges cross the border.
 *
 *   pg_core_open(&core, ...)                   once; an engine allocates here all that it ever does
 *   loop:
 *     command = pg_tick(&core, elapsed)        then, for as long as it is not PG_COMMAND_NONE:
 *       carry the command out                  (below), and command = pg_tick(&core, 0)
 *     sleep for pg_wake_in(&core), or until something happens
 *     something happened: pg_tick(&core, elapsed) to rest first, then tell the core, then to rest again
 *   pg_core_close(&core)
 *
 * A device is a struct pg_core of the caller's: a program has as many as it has room for, and none knows of another. In
 * what follows the core is left out of the calls.
 *
 * Commands, and how each is answered:
 *   SEND    pg_get(PG_REQUEST_ID), (PG_ENDPOINT), (PG_IS_GET: 1 GET, 0 POST); the request's target is
 *           the endpoint's address and memory[PG_TARGET .. + PG_TARGET_LENGTH), its body is
 *           memory[PG_BODY .. + PG_BODY_LENGTH); PG_AUTHORIZATION: the header `Authorization: Bearer`
 *           with the bytes of region PG_FIELD_ACCESS_TOKEN, or `Authorization: Basic` with those of
 *           PG_REGION_CLIENT_CREDENTIALS. Answered by pg_response_start, pg_response_body any number of
 *           times, then pg_response_end; or at any time by pg_response_failed, which ends it.
 *   ABORT   end the exchange under way; nothing more of it is told to the core.
 *   SHOW    columns * rows character codes (32..126, 128..255 only of texts of the maker's own) from pg_start(PG_REGION_FRAME).
 *   LOAD    read slot PG_SLOT into memory[PG_DATA ..], PG_DATA_LENGTH bytes at the most; answered by
 *           pg_storage_done(length; 0 empty, -1 cannot be read).
 *   STORE   write memory[PG_DATA .. + PG_DATA_LENGTH) to slot PG_SLOT, durably; pg_storage_done(1 or 0).
 *   ERASE   empty slot PG_SLOT, durably; pg_storage_done(1 or 0).
 *   CHALLENGE  a fresh code verifier of 43 bytes (RFC 7636) to memory[PG_DATA ..], its challenge of 43 bytes to the end
 *           of the PG_DATA_LENGTH bytes; pg_storage_done(1; 0 none is to be sent, -1 cannot be made).
 *   VERIFY  only for hosts that take security events: pg_event_verified(1 or 0).
 *
 * Ranges: integers are in [-2^27, 2^27 - 1]. elapsed and wake_in are milliseconds, 0..100000000; a
 * longer sleep counts as that. A request id is 0..65535, a status 100..599, Retry-After in seconds or -1.
 *
 * Ownership: struct pg_core is the caller's, and stays where it is from pg_core_open to pg_core_close. The memory given
 * to pg_core_open is the core's until then. The host
 * reads it where a command says so, and writes only in LOAD and CHALLENGE. A command's ranges stay as they are until
 * the command is answered; of SEND until the exchange ends. Bytes that the host passes are copied
 * before the call returns.
 *
 * Threads: one, for all devices. No call comes from an interrupt or a signal handler, and none for a device from within
 * another for the same. An interrupt sets a flag; the loop makes the call.
 *
 * Memory: picogrant.c allocates nothing, and an engine nothing after pg_core_open (`heap` counts). An engine that
 * throws all the same is broken: pg_core_broken() tells, and the host starts anew from its records.
 */
#ifndef PICOGRANT_H
#define PICOGRANT_H

#include <stddef.h>
#include <stdint.h>

/* Generated from the core's enums: PG_COMMAND_*, PG_ENDPOINT_*, PG_FIELD_*, PG_REGION_*, PG_STATE_*,
 * PG_EVENT_*, PG_ERROR_CODE_*, PG_CALL_STATE_*; and enum pg_property, the places of the device's properties, which
 * core/SPEC.md explains ("What a host may read"): PG_WAIT_MS is waitMs. */
#include "picogrant-numbers.h"
/* struct pg_core: generated with picogrant.c, or in engines/. */
#include "picogrant-core.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pg_engine;

/* What the maker sets: core/device/config.ts, Config, says what each means. Read during pg_core_open only. */
struct pg_core_config {
  const char *client_id;
  const char *client_secret;     /* "" for a client without a secret */
  const char *scope;
  const char *device_parameters; /* encoded, starting with '&'; or "" */
  const char *token_parameters;  /* the same, of token requests */
  int columns;                   /* 16..80 */
  int rows;                      /* 2..8 */
  int seed;                      /* random, 0..67108863 */
  int auto_start;                /* 1: asks for a code by itself */
  int renewals_max;              /* 0..1000 */
  int start_spread_ms;           /* 0..3600000; 5000 for devices that start together after a power cut */
  int pkce;                      /* enum pg_pkce */
  int json_bodies;               /* 1: the grant's parameters go out as JSON (PG_IS_JSON); else once that is asked for */
  int client_authentication;     /* enum pg_client_authentication */
  const char *messages;          /* as struct pg_settings has them; NULL or "": the core's own */
  const char *server;            /* the issuer, or the address of the token endpoint */
  const char *former_server;     /* what an older program called it, whose records count once; NULL or "": nothing */
  const struct pg_engine *engine; /* engines/picogrant-core.h; NULL: nothing is to be said of one, or there is none */
};

enum pg_open_result {
  PG_OPEN_OK = 0,
  PG_OPEN_NO_HEAP,         /* of an engine: the heap's limit is too low for it and the core */
  PG_OPEN_INVALID_CODE,        /* of an engine: the code is not the core's, or of another engine version */
  PG_OPEN_SMALL_MEMORY,    /* `size` is too small for the configuration; of an engine, or a setting is out of range */
  PG_OPEN_INVALID_CONFIG,      /* a setting is missing or out of range: pg_config_error says which */
  PG_OPEN_OTHER_RELEASE,   /* of an engine: the code is of another release than this host (PG_VERSION_NUMBER) */
  PG_OPEN_SMALL_STORAGE    /* of pg_host_open: a slot of the medium holds no record of the size that the device may write */
};

/*
 * Makes the device; on an engine it is started, or the firmware's own is taken, and the core's code is run.
 * @param core the caller's, not open: one that is has to be closed before
 * @param memory `size` bytes, 4096 by default, the device's until pg_core_close; of more than 65535 the rest is not used
 * @param config read during the call; nothing of it is kept
 * @return PG_OPEN_OK, or what is wrong; then nothing is open, and nothing else may be called
 */
enum pg_open_result pg_core_open(struct pg_core *core, uint8_t *memory, size_t size, const struct pg_core_config *config);

/*
 * Ends an open core, and its engine; nothing happens to a closed one. The figures of an engine's `heap` stay to be read.
 * The memory still holds secrets: the host wipes it.
 */
void pg_core_close(struct pg_core *core);

/* 1 where an engine threw: nothing that was returned since can be relied on. */
int pg_core_broken(struct pg_core *core);

/*
 * Lets `elapsed_ms` pass, 0..100000000 milliseconds since the last call; more counts as that.
 * @return the next command, PG_COMMAND_NONE where there is nothing to do
 */
int pg_tick(struct pg_core *core, int elapsed_ms);

/* Milliseconds, 0..134217727, that may pass before pg_tick has anything to do; sleeping longer delays polls. */
int pg_wake_in(struct pg_core *core);

/*
 * The head of the answer to the request has come. Ids of requests that are over are ignored, here and below.
 * @param request_id PG_REQUEST_ID as it was at the command SEND
 * @param status HTTP status, 100..599
 * @param retry_after_s seconds of Retry-After (RFC 9110 section 10.2.3), -1 where the answer has none
 * @return 1 where the body is a call's and is the application's to read as it comes; 0 where it is the core's alone
 */
int pg_response_start(struct pg_core *core, int request_id, int status, int retry_after_s);

/*
 * Which endpoints the server has, a bit for each: `1 << PG_ENDPOINT_TOKEN`; to begin with all. What has none is not
 * sent: a revocation is then done at once, and any other request fails as one that does not reach its server.
 */
void pg_set_endpoints(struct pg_core *core, int endpoints);

/* A piece of the answer's WWW-Authenticate, any size, before its start: the core sees whether another sign-in is wanted. */
void pg_response_challenge(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size);

/* A piece of the body, any size; the bytes are copied. */
void pg_response_body(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size);

/* The body is complete: the answer is taken. */
void pg_response_end(struct pg_core *core, int request_id);

/* There is no answer, or no whole one: no connection, a time-out, a foreign certificate. Also after its start. */
void pg_response_failed(struct pg_core *core, int request_id);

/* The answer to LOAD (bytes read; 0 empty; -1 cannot be read), STORE, ERASE and CHALLENGE (1 durably done; 0 not). */
void pg_storage_done(struct pg_core *core, int result);

/* The user wants to sign in (RFC 8628 section 3.1); nothing where a session or a code is there already. */
void pg_sign_in(struct pg_core *core);

/* The user gives the pending code up. */
void pg_cancel(struct pg_core *core);

/* The user signs out: the session is over at once, also across a restart; tokens are revoked (RFC 7009), erased. */
void pg_sign_out(struct pg_core *core);

/* The application's line below "Signed in": printable ASCII, at most 512 bytes of it. */
void pg_set_status(struct pg_core *core, const char *text);

/*
 * A GET to a resource server (core/requests/protected-resource.ts): `endpoint` is PG_ENDPOINT_RESOURCE or
 * beyond, `target` path and query as they are, at most 512 bytes. Returns 1, or 0 where it cannot be
 * sent. PG_CALL_STATE tells when it is done.
 */
int pg_call_resource(struct pg_core *core, int endpoint, const char *target);

/* An integer property of the device; 0 for PG_MEMORY and the other arrays. First byte, present length (-1: absent) and room (-1: none of its own)
 * of a region or field. */
int pg_get(struct pg_core *core, enum pg_property property);
int pg_start(struct pg_core *core, int region);
int pg_length(struct pg_core *core, int region);
int pg_capacity(struct pg_core *core, int region);

#ifdef __cplusplus
}
#endif

#endif
