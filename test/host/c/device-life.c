/* A device in a world of its own. Contract in device-life.h. */
#include "device-life.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "core-code.h"
#include "storage.h"

enum { TRACE_LINE = 20000, TARGET = 24 };

void (*life_pause)(const struct life *life);

/* Whose turn it is: the clock and chance are the machine's, and here each device has its own. */
static struct life *current;

void life_check(int holds, const char *what) {
  if (holds) return;
  printf("%s\n", what);
  exit(1);
}

int life_below(struct life *life, int bound) {
  life->dice = life->dice * 1664525u + 1013904223u;
  return (int)((life->dice >> 8) % (uint32_t)bound);
}

void life_note(struct life *life, const char *format, ...) {
  va_list arguments;
  if (life->trace_room - life->trace_size < TRACE_LINE) {
    life->trace_room = life->trace_room * 2 + 4 * TRACE_LINE;
    life->trace = realloc(life->trace, life->trace_room);
    life_check(life->trace != NULL, "no memory for the trace");
  }
  va_start(arguments, format);
  life->trace_size +=
      (size_t)vsnprintf(life->trace + life->trace_size, TRACE_LINE, format, arguments);
  va_end(arguments);
}

int life_has_turn(const struct life *life) { return life == current; }

/* A call of the device's own world: it must be of the device whose turn it is. */
void life_enter(const struct life *life, const char *what) {
  life_check(life == current, what);
  if (life_pause) life_pause(life);
  life_check(life == current, "the turn has not come back");
}

uint32_t pg_clock_ms(void) { return current->now_ms; }
uint32_t pg_clock_wall_s(void) { return 1700000000u + current->now_ms / 1000; }

int pg_random(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    current->chance = current->chance * 1664525u + 1013904223u;
    bytes[i] = (uint8_t)(current->chance >> 16);
  }
  return 1;
}

/* Not SHA-256, and nobody here knows. */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  uint32_t state = 2166136261u;
  for (size_t i = 0; i < size; i++) state = (state ^ bytes[i]) * 16777619u;
  for (int i = 0; i < PG_SHA256_BYTES; i++) {
    state = state * 1664525u + 1013904223u;
    digest[i] = (uint8_t)(state >> 16);
  }
  return 1;
}

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  struct life *life = display->life;
  life_enter(life, "a frame goes to another device's display");
  life->counts.frames++;
  life_note(life, "frame %d %d %.*s\n", columns, rows, columns * rows, (const char *)cells);
}

/* Two slots in memory; a call in thirty fails. */
static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  struct life *life = context;
  life_enter(life, "another device's records are read");
  memcpy(into, life->slots[slot] + at, size);
  return life_below(life, 30) > 0;
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  struct life *life = context;
  life_enter(life, "another device's records are written");
  int works = life_below(life, 30) > 0;
  if (works) memcpy(life->slots[slot] + at, bytes, size);
  life_note(life, "program %d %u %d %d\n", slot, (unsigned)at, (int)size, works);
  return works;
}

static int erase_slot(void *context, int slot) {
  struct life *life = context;
  life_enter(life, "another device's records are erased");
  memset(life->slots[slot], 0xff, LIFE_SLOT);
  life_note(life, "erase %d\n", slot);
  return 1;
}

static void take_report(void *context, enum pg_report report, int a, int b) {
  struct life *life = context;
  life_enter(life, "a report goes to another device's program");
  life->counts.reports++;
  life_note(life, "report %d %d %d\n", report, a, b);
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  struct life *life = context;
  life_enter(life, "an answer goes to another device's program");
  life_note(life, "body %.*s\n", (int)size, (const char *)bytes);
}

static void take_challenge(void *context, uint8_t c) {
  struct life *life = context;
  life_enter(life, "a challenge goes to another device's program");
  life_note(life, "challenge %c\n", c);
}

/* A text of the settings that is this device's own. */
static const char *text_of(struct life *life, int at, const char *format) {
  snprintf(life->texts[at], sizeof life->texts[at], format, life->number);
  return life->texts[at];
}

static void choose_settings(struct life *life) {
  struct pg_settings *settings = &life->settings;
  *settings = (struct pg_settings){
      .client_id = text_of(life, 0, "client-%d"),
      .client_secret = life_below(life, 2) ? text_of(life, 1, "a secret that is long, %d") : "",
      .scope = "email",
      .device_parameters = "",
      .token_parameters = "",
      .messages = "",
      .reasons = "",
      .server = life_below(life, 2) ? text_of(life, 2, "https://s%d.example") : "",
      .user_agent = text_of(life, 3, "life-%d"),
      .grant_headers = life_below(life, 2) ? "X-Grant: 1\r\n" : "",
      .resource_headers = life_below(life, 2) ? "X-Call: 1\r\n" : "",
      .columns = 16 + life_below(life, 20),
      .rows = 2 + life_below(life, 6),
      /* For some it is tight: there is no room for a code challenge, or for what the server sends. */
      .memory_bytes = life_below(life, 4) ? 5000 + life_below(life, LIFE_MEMORY - 5000) : 2400 + life_below(life, 400),
      .connect_seconds = 2 + life_below(life, 10),
      .exchange_seconds = 5 + life_below(life, 30),
      .answer_bytes = 1024 + life_below(life, 4000),
      .renewals = life_below(life, 5),
      .start_spread_ms = life_below(life, 3) * 1000,
      .pkce = life_below(life, 3) == 0,
      .json_bodies = life_below(life, 2),
      .auto_start = life_below(life, 4) > 0,
  };
  settings->client_authentication = PG_CLIENT_AUTHENTICATION_NONE;
  if (*settings->client_secret) {
    settings->client_authentication = PG_CLIENT_AUTHENTICATION_CLIENT_SECRET_POST + life_below(life, 2);
  }
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) settings->addresses[i] = "";
  settings->addresses[PG_ENDPOINT_DEVICE_AUTHORIZATION] = text_of(life, 4, "https://s%d.example/device");
  settings->addresses[PG_ENDPOINT_TOKEN] = text_of(life, 5, "https://S%d.example/token");
  if (life_below(life, 4)) {
    settings->addresses[PG_ENDPOINT_REVOCATION] = text_of(life, 6, "https://s%d.example/revoke");
  }
  settings->addresses[PG_ENDPOINT_RESOURCE] = text_of(life, 7, "https://api%d.example:8443");
}

void life_begin(struct life *life, uint32_t seed) {
  memset(life, 0, sizeof *life);
  life->dice = seed * 2654435761u + 1;
  life->chance = seed ^ 0x5bd1e995u;
  life->number = (int)(seed % 100000);
  life->now_ms = (uint32_t)life_below(life, 1 << 20) << 12;
  life->connection.life = life->display.life = life;
  memset(life->slots, 0xff, sizeof life->slots);
  life->medium = (struct pg_medium){
      .slot_bytes = LIFE_SLOT, .read = read_slot, .program = program_slot, .erase = erase_slot, .context = life};
  life->types = life_below(life, 3);
  choose_settings(life);
  life->parts = (struct pg_host_parts){
      .settings = &life->settings,
      .code = pg_core_code,
      .code_size = pg_core_code_size,
      /* Enough for one device, and for no second one. */
      .heap_limit = pg_heap_default + (size_t)life_below(life, 10000),
      .medium = life_below(life, 8) ? &life->medium : NULL,
      .connection = &life->connection,
      .trust = life,
      .display = &life->display,
      .countdown_ms = life_below(life, 2) ? 60000 : 0,
      .report = take_report,
      .body = life_below(life, 8) ? take_body : NULL,
      .challenge = life_below(life, 8) ? take_challenge : NULL,
      .context = life,
  };
}

/* Of the sanitizers' heap each block has the size that was asked for; of others it depends on what was there before. */
static void note_heap(struct life *life) {
  const struct pg_heap *heap = &life->host.core.heap;
  life_note(life, "heap %d %d %d %d %d %lu %lu %d\n", (int)heap->used, (int)heap->peak,
            (int)heap->blocks, (int)heap->engine, (int)heap->core, heap->calls, heap->refused, (int)heap->limit);
}

static void close_device(struct life *life) {
  pg_host_close(&life->host);
  life->is_open = 0;
  note_heap(life);
  life_check(life->host.core.heap.blocks == 0 && life->host.core.heap.used == 0, "blocks of the heap are left");
  life_check(!life->connection.is_used, "a connection is left");
  for (int i = 0; i < life->settings.memory_bytes; i++) life_check(!life->parts.memory[i], "secrets are left");
  free(life->parts.memory);
  life->parts.memory = NULL;
}

/* The figures are this device's. */
static void check_heap(const struct pg_heap *heap, int is_open, size_t limit) {
  life_check((heap->used > 10000 && heap->blocks > 100) == is_open, "no figures of what is used");
  life_check(heap->peak >= heap->used && heap->calls >= heap->blocks && heap->calls > 0, "no figures of what was used");
  life_check(is_open || heap->refused > 0 || heap->peak > limit, "no figures of what was refused");
}

/* Once in a while with too little of a heap: it does not open, and does not harm anybody. */
static void open_device(struct life *life) {
  struct pg_host_parts *parts = &life->parts;
  size_t limit = parts->heap_limit;
  life->connection.is_used = 0;
  parts->memory = calloc(1, (size_t)life->settings.memory_bytes);
  int is_limited = life_below(life, 5) == 0;
  if (is_limited) parts->heap_limit = life->took && life_below(life, 2) ? life->took - 500 : limit / 8;
  enum pg_open_result result = pg_host_open(&life->host, parts);
  life_note(life, "open %d %s\n", result, pg_host_problem(result));
  note_heap(life);
  life->is_open = result == PG_OPEN_OK;
  /* With a little less than it took some engines come to an end: they collect garbage first. */
  life_check(life->is_open || is_limited || result == PG_OPEN_SMALL_MEMORY, "a limit that nobody has set");
  life_check(!life->is_open || life->host.core.heap.peak <= parts->heap_limit, "a limit that does not hold");
  if (result != PG_OPEN_SMALL_MEMORY) check_heap(&life->host.core.heap, life->is_open, parts->heap_limit);
  if (life->is_open) life->took = life->host.core.heap.peak;
  parts->heap_limit = limit;
  if (life->is_open) return;
  life->counts.refused++;
  if (result == PG_OPEN_SMALL_MEMORY) life->settings.memory_bytes += 120;
  free(parts->memory);
  parts->memory = NULL;
}

static void note_history(struct life *life) {
  char line[PG_HISTORY_LINE];
  for (int i = 0; pg_history_line(&life->host.history, i, line); i++) life_note(life, "history %s\n", line);
}

static void call_api(struct life *life) {
  char target[TARGET];
  snprintf(target, sizeof target, "/items?page=%d", life_below(life, 1000));
  int is_sent = pg_host_call(&life->host, PG_ENDPOINT_RESOURCE, target);
  life->counts.calls += is_sent;
  life_note(life, "call %d %d\n", is_sent, pg_host_wants_sign_in(&life->host));
}

/* What the user and the program do. */
static void act(struct life *life) {
  struct pg_host *host = &life->host;
  int what = life_below(life, 300);
  if (what < 8) pg_host_key(host, PG_KEY_SIGN_IN);
  else if (what < 9) pg_host_key(host, PG_KEY_CANCEL);
  else if (what == 9) life_note(life, "letter %d\n", pg_host_letter(host, 'o'));
  else if (what < 100) call_api(life);
  else if (what < 102) pg_set_status(&host->core, text_of(life, 3, "life-%d"));
  else if (what < 104) note_history(life);
  else if (what < 110 && pg_http_wake_in(&host->http) < 0) pg_host_take_http(host);
  else if (what < 112) life->parts.countdown_ms = 60000 - life->parts.countdown_ms;
}

static void work(struct life *life) {
  struct pg_host *host = &life->host;
  int wake_ms = pg_host_wake_in(host);
  int most_ms = wake_ms < 20000 ? wake_ms : 20000;
  /* An answer comes in pieces: most of them before the time is over. */
  if (pg_http_wake_in(&host->http) >= 0 && life_below(life, 100) && most_ms > 300) most_ms = 300;
  life->now_ms += (uint32_t)(life_below(life, 3) ? most_ms : life_below(life, most_ms + 1));
  act(life);
  /* As the engine would. */
  int breaks = life_below(life, 900) == 0;
  if (breaks) host->core.threw = 1;
  int goes_on = pg_host_step(host);
  life_check(goes_on == !breaks, "it is another device that is broken");
  life_note(life, "step %d wake %d well %d needed %d\n", goes_on, goes_on ? pg_host_wake_in(host) : 0,
            pg_host_is_well(host), pg_host_memory_needed(host));
  if (!goes_on) life->counts.broken++;
  else if (life_below(life, 500)) return;
  note_history(life);
  life->counts.restarts++;
  close_device(life);
}

void life_turn(struct life *life) {
  struct life *before = current;
  current = life;
  life->in_turn = 1;
  if (life->is_open) work(life);
  else open_device(life);
  life->in_turn = 0;
  current = before;
}

void life_end(struct life *life) {
  current = life;
  if (life->is_open) close_device(life);
  current = NULL;
}

void life_forget(struct life *life) { free(life->trace); }
