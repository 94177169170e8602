/*
 * Random lives of the driver (driver.h) between a core and an HTTP that are written out here: the core asks for whatever
 * picogrant.h lets it ask for, the network answers, fails or says nothing. What must hold: each command is carried out
 * once and answered once; what goes out lies where the core has said; what comes back goes to the request in flight, and
 * to no other; nothing reaches the core before the time until then has.
 *
 * Usage: driver SEED. Output: `sent N aborted A answered B stored C`; exit code 1 at the first fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "display.h"
#include "driver.h"
#include "picogrant.h"
#include "reason.h"
#include "storage.h"

enum { LIVES = 300, STEPS = 300, MEMORY = 2048, FRAME = 16 * 2, NO_REQUEST = -1 };

static uint32_t random_state;
static uint32_t now_ms;
static uint8_t memory[MEMORY];
static int property[PG_CALL_ERROR + 64];
static long sent, aborted, answered, stored;

static int below(int bound) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int)((random_state >> 8) % (uint32_t)bound);
}

static void check(int holds, const char *what) {
  if (holds) return;
  printf("%s\n", what);
  exit(1);
}

/* The core: what it has asked for, and what it has heard. */
static struct {
  uint32_t told_ms; /* how far time has gone for it */
  int waits_for;    /* the command that is to be answered next, or PG_COMMAND_NONE */
  int in_flight;    /* id of the request, or NO_REQUEST */
  int has_status;
} core;

/* The network: what the driver has handed over. */
static int is_sent;
static int shown;

int pg_get(enum pg_property what) { return property[what]; }
int pg_length(int region) { return region == PG_FIELD_ACCESS_TOKEN ? 20 : -1; }
int pg_start(int region) { return region == PG_REGION_FRAME ? MEMORY - FRAME : 40; }
int pg_core_broken(void) { return 0; }
uint32_t pg_clock_ms(void) { return now_ms; }

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
    property[PG_AUTHORIZATION] = below(2) ? PG_AUTHORIZATION_BEARER : PG_AUTHORIZATION_NONE;
  }
  if (command == PG_COMMAND_ABORT) {
    if (core.in_flight == NO_REQUEST || below(10) > 0) return PG_COMMAND_NONE;
    core.in_flight = NO_REQUEST;
    aborted++;
  }
  if (command == PG_COMMAND_LOAD || command == PG_COMMAND_STORE || command == PG_COMMAND_ERASE) {
    core.waits_for = command;
  }
  if (command == PG_COMMAND_SHOW) shown = 0;
  return command;
}

int pg_tick(int elapsed_ms) {
  static const int commands[] = {PG_COMMAND_NONE,  PG_COMMAND_NONE, PG_COMMAND_NONE, PG_COMMAND_SEND, PG_COMMAND_ABORT,
                                 PG_COMMAND_SHOW,  PG_COMMAND_LOAD, PG_COMMAND_STORE, PG_COMMAND_ERASE};
  core.told_ms += (uint32_t)elapsed_ms;
  check(core.waits_for == PG_COMMAND_NONE, "a command of storage has no answer");
  check(shown, "a frame was not shown");
  return ask(commands[below(9)]);
}

void pg_storage_done(int result) {
  check(core.waits_for != PG_COMMAND_NONE, "an answer of storage that nobody waits for");
  check(result >= -1 && (core.waits_for == PG_COMMAND_LOAD || result == 0 || result == 1), "no answer of storage's");
  core.waits_for = PG_COMMAND_NONE;
  stored++;
}

static void hear(int id, const char *what) {
  check(core.told_ms == now_ms, "an answer comes before its time");
  check(id == core.in_flight, what);
}

int pg_response_start(int id, int status, int retry_after_s) {
  check(id == core.in_flight && status == 200 && retry_after_s == 7, "a status of another request");
  core.has_status = 1;
  return 0;
}

void pg_response_body(int id, const uint8_t *bytes, size_t size) {
  check(id == core.in_flight && core.has_status && size == 3 && bytes[0] == 'a', "a body of another request");
}

/* The core gives the request up while the time passes: what is told of it then comes too late, and is passed over. */
void pg_response_end(int id) {
  if (core.in_flight == NO_REQUEST || id != core.in_flight) return;
  hear(id, "an end of another request");
  core.in_flight = NO_REQUEST;
  answered++;
}

void pg_response_failed(int id) {
  if (core.in_flight == NO_REQUEST || id != core.in_flight) return;
  hear(id, "a failure of another request");
  core.in_flight = NO_REQUEST;
}

int pg_http_send(const struct pg_http_request *request) {
  check(!is_sent, "two requests at once");
  check(request->target == memory + property[PG_TARGET] && request->body == memory + property[PG_BODY], "another request");
  check(request->body_size == (size_t)property[PG_BODY_LENGTH], "a body of another length");
  check(!request->credentials == (property[PG_AUTHORIZATION] == PG_AUTHORIZATION_NONE), "an unasked header");
  sent++;
  return is_sent = below(8) > 0;
}

void pg_http_abort(void) { is_sent = 0; }
int pg_http_wake_in(void) { return is_sent ? 1000 : -1; }
int pg_http_reason(void) { return PG_REASON_NONE; }

void pg_display_show(const uint8_t *cells, int columns, int rows) {
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

static void nothing(void) {}

/* What the network does next with the exchange under way. */
static void answer(void) {
  static const uint8_t body[] = {'a', 'b', 'c'};
  if (!is_sent) return;
  switch (below(4)) {
    case 0:
      if (!core.has_status) pg_driver_sink.status(200, 7);
      break;
    case 1:
      if (core.has_status) pg_driver_sink.body(body, sizeof body);
      break;
    case 2:
      is_sent = 0;
      if (core.has_status) pg_driver_sink.end();
      else pg_driver_sink.failed();
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
  is_sent = 0;
  shown = 1;
  pg_driver_start(&settings, memory, &medium, NULL);
  for (int i = 0; i < STEPS; i++) {
    now_ms += (uint32_t)below(5000);
    if (below(3) > 0) answer();
    else check(below(2) ? pg_driver_run() : pg_driver_happen(nothing), "the driver gives up");
    check(is_sent == (core.in_flight != NO_REQUEST), "the network does not do what the core has asked for");
  }
}

int main(int count, char **words) {
  if (count != 2) return 2;
  random_state = (uint32_t)strtoul(words[1], NULL, 10);
  for (int i = 0; i < LIVES; i++) live();
  printf("sent %ld aborted %ld answered %ld stored %ld\n", sent, aborted, answered, stored);
  return 0;
}
