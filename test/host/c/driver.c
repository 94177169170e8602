/*
 * Random lives of the driver (driver.h) between a core and an HTTP that are written out here: the core asks for
 * whatever picogrant.h lets it ask for, the network answers, fails or says nothing. What must hold: each command is
 * carried out once and answered once; what goes out lies where the core has said; what comes back goes to the request
 * in flight, and to no other; nothing reaches the core before the time until then has; a refusal that names code_challenge has a code
 * asked for once more, with one (RFC 7636 section 4.4.1), and no other answer has; parameters that are refused for their
 * type (415, RFC 9110 section 15.5.16) go out once more in the other one, once in a life, and the core does not hear of it.
 *
 * Usage: driver SEED. Output: `sent N aborted A answered B stored C again D otherwise E`; exit code 1 at the first fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "driver.h"
#include "reason.h"
#include "storage.h"

enum { LIVES = 300, STEPS = 300, MEMORY = 2048, FRAME = 16 * 2, VERIFIER = 43, NO_REQUEST = -1 };

static uint32_t random_state;
static uint32_t now_ms;
static uint8_t memory[MEMORY];
static int property[PG_CALL_ERROR + 64];
static long sent, aborted, answered, stored, again, otherwise;

static int below(int bound) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int)((random_state >> 8) % (uint32_t)bound);
}

static void check(int holds, const char *what) {
  if (holds) return;
  printf("%s\n", what);
  exit(1);
}

/* What the driver works with, by address alone: the core and the HTTP are written out here. */
static struct pg_driver driver;
static struct pg_core its_core;
static struct pg_http its_http;
static struct pg_history history;

/* The core: what it has asked for, and what it has heard. */
static struct {
  uint32_t told_ms; /* how far time has gone for it */
  int waits_for;    /* the command that is to be answered next, or PG_COMMAND_NONE */
  int in_flight;    /* id of the request, or NO_REQUEST */
  int has_status;
  int status;
  int is_asked_again; /* it is to ask for a code once more */
} core;

/* What the server and the maker want of challenges (RFC 7636). */
static int is_wanted;
static int is_demanded; /* the answer under way has named it */
static int has_random;

/* The network: what the driver has handed over, and whether its answer has begun. */
static int is_sent;
static int is_answering;

/* The type of the server's bodies. */
static struct {
  int is_json;
  int is_settled;    /* the other one has been tried */
  int refused_id;    /* the request that is to go out once more, or NO_REQUEST */
  int is_second;     /* the one that goes out now has been refused before */
} type;
static int shown;

static void is_its_core(const struct pg_core *asked) { check(asked == &its_core, "another device's core"); }

int pg_get(struct pg_core *asked, enum pg_property what) {
  is_its_core(asked);
  return property[what];
}

int pg_length(struct pg_core *asked, int region) {
  is_its_core(asked);
  return region == PG_FIELD_ACCESS_TOKEN ? 20 : -1;
}

int pg_start(struct pg_core *asked, int region) {
  is_its_core(asked);
  return region == PG_REGION_FRAME ? MEMORY - FRAME : 40;
}

int pg_core_broken(struct pg_core *asked) {
  is_its_core(asked);
  return 0;
}

uint32_t pg_clock_ms(void) { return now_ms; }

int pg_random(uint8_t *bytes, size_t size) {
  has_random = below(8) > 0;
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)below(256);
  return has_random;
}

int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  check(bytes == memory + property[PG_DATA] && size == VERIFIER, "the digest of something else");
  for (size_t i = 0; i < PG_SHA256_BYTES; i++) digest[i] = (uint8_t)below(256);
  return 1;
}

/* What the core asks for next: any command that it may. */
static int ask(int command) {
  property[PG_SLOT] = below(2);
  property[PG_DATA] = 100;
  property[PG_DATA_LENGTH] = MEMORY - 200;
  if (command == PG_COMMAND_SEND) {
    if (core.in_flight != NO_REQUEST) return PG_COMMAND_NONE;
    core.in_flight = property[PG_REQUEST_ID] = (property[PG_REQUEST_ID] + 1) & 65535;
    core.has_status = 0;
    property[PG_ENDPOINT] = below(PG_ADDRESS_COUNT);
    property[PG_TARGET] = below(MEMORY);
    property[PG_TARGET_LENGTH] = below(MEMORY - property[PG_TARGET]);
    property[PG_BODY] = below(MEMORY);
    property[PG_BODY_LENGTH] = MEMORY - property[PG_BODY];
    property[PG_IS_GET] = below(4) == 0;
    property[PG_IN_FLIGHT] = 1;
    property[PG_AUTHORIZATION] = below(2) ? PG_AUTHORIZATION_BEARER : PG_AUTHORIZATION_NONE;
  }
  if (command == PG_COMMAND_ABORT) {
    if (core.in_flight == NO_REQUEST || below(10) > 0) return PG_COMMAND_NONE;
    core.in_flight = NO_REQUEST;
    property[PG_IN_FLIGHT] = 0;
    aborted++;
  }
  if (command == PG_COMMAND_LOAD || command == PG_COMMAND_STORE || command == PG_COMMAND_ERASE ||
      command == PG_COMMAND_CHALLENGE) {
    core.waits_for = command;
  }
  if (command == PG_COMMAND_SHOW) shown = 0;
  return command;
}

int pg_tick(struct pg_core *asked, int elapsed_ms) {
  is_its_core(asked);
  static const int commands[] = {PG_COMMAND_NONE,  PG_COMMAND_NONE,  PG_COMMAND_NONE, PG_COMMAND_SEND,
                                 PG_COMMAND_ABORT, PG_COMMAND_SHOW,  PG_COMMAND_LOAD, PG_COMMAND_STORE,
                                 PG_COMMAND_ERASE, PG_COMMAND_CHALLENGE};
  core.told_ms += (uint32_t)elapsed_ms;
  check(core.waits_for == PG_COMMAND_NONE, "a command of storage has no answer");
  check(shown, "a frame was not shown");
  return ask(commands[below(10)]);
}

static int is_text(const uint8_t *bytes) {
  for (int i = 0; i < VERIFIER; i++) {
    if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", bytes[i])) return 0;
  }
  return 1;
}

void pg_storage_done(struct pg_core *asked, int result) {
  is_its_core(asked);
  const uint8_t *range = memory + property[PG_DATA];
  check(core.waits_for != PG_COMMAND_NONE, "an answer of storage that nobody waits for");
  if (core.waits_for == PG_COMMAND_CHALLENGE) {
    check(result == (!is_wanted ? 0 : has_random ? 1 : -1), "a challenge unasked, or none");
    check(result != 1 || (is_text(range) && is_text(range + property[PG_DATA_LENGTH] - VERIFIER)), "no challenge");
  } else {
    check(result >= -1 && (core.waits_for == PG_COMMAND_LOAD || result == 0 || result == 1), "no answer of storage's");
  }
  core.waits_for = PG_COMMAND_NONE;
  stored++;
}

static void hear(int id, const char *what) {
  check(core.told_ms == now_ms, "an answer comes before its time");
  check(id == core.in_flight, what);
}

int pg_response_start(struct pg_core *asked, int id, int status, int retry_after_s) {
  is_its_core(asked);
  check(id == core.in_flight && status == core.status && retry_after_s == 7, "a status of another request");
  core.has_status = 1;
  return 0;
}

void pg_response_body(struct pg_core *asked, int id, const uint8_t *bytes, size_t size) {
  is_its_core(asked);
  check(id == core.in_flight && core.has_status && size > 0 && bytes[0], "a body of another request");
}

/* The core gives the request up while the time passes: what is told of it then comes too late, and is passed over. */
void pg_response_end(struct pg_core *asked, int id) {
  is_its_core(asked);
  /* Also where nobody waits for it any more: from now on there is one. */
  is_wanted |= is_demanded;
  if (core.in_flight == NO_REQUEST || id != core.in_flight) return;
  hear(id, "an end of another request");
  check(id != type.refused_id, "the core hears of a type that is tried otherwise");
  core.in_flight = NO_REQUEST;
  property[PG_IN_FLIGHT] = 0;
  answered++;
  int is_refused = core.status >= 400 && property[PG_ENDPOINT] == PG_ENDPOINT_DEVICE_AUTHORIZATION;
  property[PG_STATE] = is_refused ? PG_STATE_FAILED : PG_STATE_SIGNED_IN;
  property[PG_MOVES] += is_refused;
  core.is_asked_again = is_refused && is_demanded;
}

void pg_sign_in(struct pg_core *asked) {
  is_its_core(asked);
  check(core.is_asked_again, "a code is asked for once more, and nobody wants it");
  core.is_asked_again = 0;
  again++;
}

void pg_response_failed(struct pg_core *asked, int id) {
  is_its_core(asked);
  if (core.in_flight == NO_REQUEST || id != core.in_flight) return;
  hear(id, "a failure of another request");
  core.in_flight = NO_REQUEST;
  property[PG_IN_FLIGHT] = 0;
}

static int has_parameters(void) {
  return property[PG_ENDPOINT] <= PG_ENDPOINT_REVOCATION && !property[PG_IS_GET] && property[PG_BODY_LENGTH] > 0;
}

/* A request goes out: once more, where it was refused for its type. */
static void take_type(int is_json) {
  type.is_second = type.refused_id == property[PG_REQUEST_ID];
  type.refused_id = NO_REQUEST;
  if (type.is_second) {
    check(!type.is_settled, "the other type is tried twice");
    type.is_settled = 1;
    type.is_json = !type.is_json;
    otherwise++;
  }
  check(is_json == (type.is_json && has_parameters()), "another type than the server's");
}

/* The status of an answer. The core is not told of one that the driver tries otherwise. */
static void take_status(int status) {
  is_answering = 1;
  if (status != 415 || !has_parameters()) return;
  if (!type.is_settled) type.refused_id = property[PG_REQUEST_ID];
  else if (type.is_second) type.is_json = !type.is_json;
}

int pg_http_send(struct pg_http *http, const struct pg_http_request *request) {
  check(http == &its_http, "another device's HTTP");
  check(!is_sent, "two requests at once");
  check(request->target == memory + property[PG_TARGET], "another target");
  check(request->body == memory + property[PG_BODY], "another body");
  check(request->body_size == (size_t)property[PG_BODY_LENGTH], "a body of another length");
  take_type(request->is_json);
  is_answering = 0;
  check(!request->credentials == (property[PG_AUTHORIZATION] == PG_AUTHORIZATION_NONE), "an unasked header");
  sent++;
  return is_sent = below(8) > 0;
}

void pg_http_abort(struct pg_http *http) { is_sent = http != &its_http; }
int pg_http_wake_in(const struct pg_http *http) { return is_sent && http == &its_http ? 1000 : -1; }
int pg_http_reason(const struct pg_http *http) {
  (void)http;
  return PG_REASON_NONE;
}

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  check(!display, "another device's display");
  check(cells == memory + MEMORY - FRAME && columns * rows == FRAME, "another frame");
  shown = 1;
}

/* Two slots in memory. */
static uint8_t slots[2][MEMORY];

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  memcpy(into, slots[slot] + at, size);
  return PG_MEDIUM_DONE;
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  memcpy(slots[slot] + at, bytes, size);
  return PG_MEDIUM_DONE;
}

static int erase_slot(void *context, int slot) {
  (void)context;
  memset(slots[slot], 0xff, MEMORY);
  return PG_MEDIUM_DONE;
}

static void nothing(struct pg_core *asked) { is_its_core(asked); }

/* Two pieces that name code_challenge. */
static void name_challenge(void) {
  static const uint8_t text[] = "Missing: code_code_challenge_method";
  size_t first = (size_t)below(sizeof text - 3) + 1;
  pg_driver_sink.body(&driver, text, first);
  pg_driver_sink.body(&driver, text + first, sizeof text - 1 - first);
  int is_refusal = core.status >= 400 && type.refused_id != property[PG_REQUEST_ID];
  is_demanded |= !is_wanted && is_refusal && property[PG_ENDPOINT] == PG_ENDPOINT_DEVICE_AUTHORIZATION;
}

static void end(void) {
  pg_driver_sink.end(&driver);
  check(core.in_flight == NO_REQUEST || core.in_flight != type.refused_id, "a type that is refused, and not tried otherwise");
  check(!core.is_asked_again, "a challenge was demanded, and is not tried");
}

/* What the network does next with the exchange under way. */
static void answer(void) {
  static const uint8_t body[] = {'a', 'b', 'c'};
  if (!is_sent) return;
  switch (below(5)) {
    case 0:
      if (is_answering) break;
      core.status = below(4) == 0 ? 415 : below(2) ? 200 : 400;
      is_demanded = 0;
      take_status(core.status);
      pg_driver_sink.status(&driver, core.status, 7);
      break;
    case 1:
      if (is_answering) pg_driver_sink.body(&driver, body, sizeof body);
      break;
    case 2:
      if (is_answering) name_challenge();
      break;
    case 3:
      is_sent = 0;
      if (is_answering) end();
      else pg_driver_sink.failed(&driver);
      break;
    default:
      break;
  }
}

static void live(void) {
  static const struct pg_medium medium = {
      .slot_bytes = MEMORY, .read = read_slot, .program = program_slot, .erase = erase_slot};
  static const char address[] = "https://api.example/";
  struct pg_settings settings = {.client_secret = "", .columns = 16, .rows = 2, .memory_bytes = MEMORY};
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) settings.addresses[i] = below(4) ? address : "";
  core.told_ms = now_ms = (uint32_t)below(1 << 20) << 12;
  core.in_flight = NO_REQUEST;
  core.waits_for = PG_COMMAND_NONE;
  core.is_asked_again = 0;
  is_wanted = settings.pkce = below(4) == 0;
  is_demanded = is_sent = is_answering = property[PG_IN_FLIGHT] = 0;
  type.is_json = settings.json_bodies = below(2);
  type.is_settled = 0;
  type.refused_id = NO_REQUEST;
  shown = 1;
  const struct pg_driver_parts parts = {
      .core = &its_core, .http = &its_http, .history = &history, .settings = &settings, .memory = memory, .medium = &medium};
  pg_driver_start(&driver, &parts);
  for (int i = 0; i < STEPS; i++) {
    now_ms += (uint32_t)below(5000);
    if (below(3) > 0) answer();
    else check(below(2) ? pg_driver_run(&driver) : pg_driver_happen(&driver, nothing), "the driver gives up");
    check(is_sent == (core.in_flight != NO_REQUEST), "the network does not do what the core has asked for");
  }
}

int main(int count, char **words) {
  if (count != 2) return 2;
  random_state = (uint32_t)strtoul(words[1], NULL, 10);
  for (int i = 0; i < LIVES; i++) live();
  printf("sent %ld aborted %ld answered %ld stored %ld again %ld otherwise %ld\n", sent, aborted, answered, stored, again,
         otherwise);
  return 0;
}
