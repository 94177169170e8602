/*
 * Two devices on the portable host (host.h). A pipe controls clock, random bytes, responses, records and the user's
 * keys. An input line has a device's number and an event. BYTES and all texts except PATH are in hexadecimal. An output
 * line has the device's state after the event. With an engine, the first device has its own engine, and the second
 * device is a guest of the firmware's engine. Neither device allocates after its start.
 *
 *   open MEMORY SEED COLUMNS ROWS START RENEWALS AUTHENTICATION SPREAD JSON ID SECRET SCOPE DEVICE TOKEN SERVER MESSAGES
 *   close
 *   slot SLOT BYTES       puts a record into a slot
 *   medium BITS           one bit for each slot that cannot be read; 4: nothing can be written
 *   run MS                time passes
 *   response BYTES, end, break    the connection delivers bytes, ends, or breaks
 *   key LETTER, call PATH, status TEXT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "picogrant-port.h"
#include "storage.h"

enum { SLOT = 10000, REQUEST = 20000, LINE = 1 << 22, PIECE = 32767, TEXTS = 7, WORDS = 20, STEPS = 5 };
/* The bit of the event `medium` that makes writing fail. */
enum { NOT_WRITTEN = 4 };

struct pg_connection {
  int is_open;
  uint8_t sent[REQUEST];
  size_t sent_size;
  int is_flushed;
  const uint8_t *come; /* the response bytes of the current input line */
  size_t come_size;
  int end; /* the connection's end, reported after all bytes have been received */
};

struct pg_display {
  char frame[80 * 8 + 1];
};

static struct device {
  struct pg_host host;
  struct pg_host_parts parts;
  struct pg_settings settings;
  struct pg_medium medium;
  struct pg_connection connection;
  struct pg_display display;
  char texts[TEXTS][2000];
  uint8_t slots[2][SLOT];
  uint32_t now_ms;
  uint32_t seed;
  int faults;
} devices[2];

static void must(int holds, const char *what) {
  if (holds) return;
  printf("%s\n", what);
  exit(1);
}

#ifdef PG_HAS_ENGINE
#include <quickjs.h>

static void *take(JSMallocState *state, size_t size) { return pg_heap_take(state->opaque, size); }
static void give(JSMallocState *state, void *block) { pg_heap_give(state->opaque, block); }
static void *resize(JSMallocState *state, void *block, size_t size) { return pg_heap_resize(state->opaque, block, size); }

static void *make_engine(struct pg_heap *heap) {
  static const JSMallocFunctions functions = {take, give, resize, pg_heap_size};
  return JS_NewContext(JS_NewRuntime2(&functions, heap));
}

static void end_engine(void *engine) {
  JSRuntime *runtime = JS_GetRuntime(engine);
  JS_FreeContext(engine);
  JS_FreeRuntime(runtime);
}

static struct {
  struct pg_engine engine;
  struct pg_heap heap; /* the firmware's heap, if the device is a guest */
  unsigned long calls; /* allocations of that heap before the device's start */
} engines[2];

static struct pg_heap *heap_of(const struct device *device) {
  return device == devices ? &devices[0].host.core.heap : &engines[1].heap;
}

static void before_open(struct device *device) {
  struct pg_engine *engine = &engines[device - devices].engine;
  if (device != devices) engine->context = make_engine(&engines[1].heap);
  device->parts.engine = engine;
}

static void note_heap(const struct device *device) { engines[device - devices].calls = heap_of(device)->calls; }

static void check_heap(const struct device *device) {
  must(heap_of(device)->calls == engines[device - devices].calls, "the engine allocates");
}

static void after_close(const struct device *device) {
  if (device != devices) end_engine(engines[1].engine.context);
  must(heap_of(device)->blocks == 0, "blocks of the heap are left");
}
#else
static void before_open(const struct device *device) { (void)device; }
static void note_heap(const struct device *device) { (void)device; }
static void check_heap(const struct device *device) { (void)device; }
static void after_close(const struct device *device) { (void)device; }
#endif

/* The device whose functions run now. A port has one clock and one random source, but here each device has its own. */
static struct device *current;

uint32_t pg_clock_ms(void) { return current->now_ms; }
uint32_t pg_clock_wall_s(void) { return 1700000000u + current->now_ms / 1000; }

int pg_random(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(current->seed >> (24 - 8 * (i % 4)));
  return 1;
}

/* This function is never called, because no response here requires a code challenge. */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  (void)bytes;
  (void)size;
  (void)digest;
  return 0;
}

void pg_display_show(struct pg_display *display, const uint8_t *cells, int columns, int rows) {
  must(display == &current->display, "a frame goes to another device's display");
  snprintf(display->frame, sizeof display->frame, "%.*s", columns * rows, (const char *)cells);
}

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  must(context == current, "another device's records are read");
  memcpy(into, current->slots[slot] + at, size);
  return !(current->faults >> slot & 1);
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  must(context == current, "another device's records are written");
  memcpy(current->slots[slot] + at, bytes, size);
  return 1;
}

static int erase_slot(void *context, int slot) {
  must(context == current, "another device's records are erased");
  if (current->faults & NOT_WRITTEN) return 0;
  memset(current->slots[slot], 0xff, SLOT);
  return 1;
}

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer, const void *trust) {
  must(connection == &current->connection && trust == current, "another device's connection is started");
  must(peer->is_secure && peer->port == 443, "a connection in the clear");
  pg_connection_end(connection);
  return connection->is_open = 1;
}

enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  return connection->is_open ? PG_CONNECTION_OPEN : PG_CONNECTION_FAILED;
}

int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  if (size > 100) size = 100;
  must(size < REQUEST - connection->sent_size, "a request without end");
  memcpy(connection->sent + connection->sent_size, bytes, size);
  connection->sent_size += size;
  return (int)size;
}

int pg_connection_flush(struct pg_connection *connection) { return connection->is_flushed = 1; }

int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  size_t size = connection->come_size < PIECE ? connection->come_size : PIECE;
  *bytes = connection->come;
  connection->come += size;
  connection->come_size -= size;
  return size ? (int)size : connection->end;
}

int pg_connection_reason(struct pg_connection *connection) {
  (void)connection;
  return PG_REASON_NONE;
}

void pg_connection_end(struct pg_connection *connection) { memset(connection, 0, sizeof *connection); }

/* Decodes hexadecimal digits in place; "-" means none. Returns the number of bytes. */
static size_t bytes_of(char *digits) {
  size_t size = *digits == '-' ? 0 : strlen(digits) / 2;
  for (size_t i = 0; i < size; i++) {
    char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
    digits[i] = (char)strtoul(pair, NULL, 16);
  }
  digits[size] = 0;
  return size;
}

static void close_device(struct device *device) {
  uint8_t *memory = device->parts.memory;
  char line[PG_HISTORY_LINE];
  if (!memory) return;
  for (int i = 0; pg_history_line(&device->host.history, i, line); i++) {
    must(!*device->texts[1] || !strstr(line, device->texts[1]), "the client's secret is in the history");
  }
  pg_host_close(&device->host);
  after_close(device);
  must(!device->connection.is_open, "a connection is left");
  for (int i = 0; i < device->settings.memory_bytes; i++) must(!memory[i], "secrets are left");
  free(memory);
  device->parts.memory = NULL;
}

static void open_device(struct device *device, char *words[]) {
  struct pg_settings *settings = &device->settings;
  for (int i = 0; i < TEXTS; i++) {
    (void)bytes_of(words[9 + i]);
    snprintf(device->texts[i], sizeof device->texts[i], "%s", words[9 + i]);
  }
  device->seed = (uint32_t)atoi(words[1]);
  *settings = (struct pg_settings){
      .memory_bytes = atoi(words[0]),
      .columns = atoi(words[2]),
      .rows = atoi(words[3]),
      .auto_start = atoi(words[4]),
      .renewals = atoi(words[5]),
      .client_authentication = atoi(words[6]),
      .start_spread_ms = atoi(words[7]) ? atoi(words[7]) : PG_START_AT_ONCE,
      .json_bodies = atoi(words[8]),
      .client_id = device->texts[0],
      .client_secret = device->texts[1],
      .scope = device->texts[2],
      .device_parameters = device->texts[3],
      .token_parameters = device->texts[4],
      .server = device->texts[5],
      .messages = device->texts[6],
      .reasons = "",
      .user_agent = "piped",
      .grant_headers = "X-Grant: 1\r\n",
      .resource_headers = "X-Call: 1\r\n",
      .addresses = {"https://auth.test/device?a=1", "https://auth.test/token?b=2", "https://auth.test/revoke", "", "",
                    "https://api.test"},
      /* The core aborts an exchange before this limit. */
      .connect_seconds = 2000000,
      .exchange_seconds = 2000000,
      .response_bytes = 1 << 24,
  };
  device->parts = (struct pg_host_parts){
      .settings = settings,
      .memory = calloc(1, (size_t)settings->memory_bytes),
      .medium = &device->medium,
      .connection = &device->connection,
      .trust = device,
      .display = &device->display,
  };
  before_open(device);
  must(pg_host_open(&device->host, &device->parts) == PG_OPEN_OK, "it does not open");
  note_heap(device);
}

static void happen(struct device *device, const char *what, char *words[]) {
  struct pg_host *host = &device->host;
  if (strcmp(what, "open") == 0) open_device(device, words);
  else if (strcmp(what, "close") == 0) close_device(device);
  else if (strcmp(what, "medium") == 0) device->faults = atoi(words[0]);
  else if (strcmp(what, "run") == 0) device->now_ms += (uint32_t)atoi(words[0]);
  else if (strcmp(what, "end") == 0) device->connection.end = PG_CONNECTION_ENDED;
  else if (strcmp(what, "break") == 0) device->connection.end = PG_CONNECTION_BROKEN;
  else if (strcmp(what, "key") == 0) must(pg_host_letter(host, words[0][0]), "an unknown key");
  else if (strcmp(what, "call") == 0) (void)pg_host_call(host, PG_ENDPOINT_RESOURCE, words[0]);
  else if (strcmp(what, "status") == 0) {
    (void)bytes_of(words[0]);
    pg_set_status(&host->core, words[0]);
  } else if (strcmp(what, "response") == 0) {
    device->connection.come_size = bytes_of(words[0]);
    device->connection.come = (const uint8_t *)words[0];
  } else if (strcmp(what, "slot") == 0) {
    size_t size = bytes_of(words[1]);
    int slot = atoi(words[0]);
    memset(device->slots[slot], 0xff, SLOT);
    if (size) must(pg_storage_write(&device->medium, slot, (const uint8_t *)words[1], size), "a record cannot be stored");
  } else must(0, "a command that is none");
}

static void show_bytes(const uint8_t *bytes, size_t size) {
  printf(" ");
  if (!size) printf("-");
  for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
}

/* Prints the record of a slot, even if the medium has a fault. */
static void show_slot(struct device *device, int slot) {
  uint8_t record[SLOT];
  int faults = device->faults;
  device->faults = 0;
  int size = pg_storage_read(&device->medium, slot, record, sizeof record);
  device->faults = faults;
  show_bytes(record, size > 0 ? (size_t)size : 0);
}

static void show_device(struct device *device) {
  static const enum pg_property shown[] = {PG_STATE, PG_ERROR, PG_CALL_STATE, PG_CALL_STATUS, PG_CALL_ERROR, PG_MOVES};
  struct pg_core *core = &device->host.core;
  const struct pg_connection *connection = &device->connection;
  check_heap(device);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) printf("%d ", pg_get(core, shown[i]));
  printf("%d %d", pg_host_needs_sign_in(&device->host), pg_host_wake_in(&device->host));
  show_bytes((const uint8_t *)device->display.frame, strlen(device->display.frame));
  show_slot(device, 0);
  show_slot(device, 1);
  show_bytes(connection->sent, connection->is_flushed ? connection->sent_size : 0);
  printf("\n");
}

int main(void) {
  static char line[LINE];
  for (int i = 0; i < 2; i++) {
    devices[i].medium = (struct pg_medium){
        .slot_bytes = SLOT, .read = read_slot, .program = program_slot, .erase = erase_slot, .context = &devices[i]};
  }
  while (fgets(line, sizeof line, stdin)) {
    char *words[WORDS] = {strtok(line, " \n")};
    for (int i = 1; i < WORDS && words[i - 1]; i++) words[i] = strtok(NULL, " \n");
    must(words[0] && words[1], "a line that is none");
    current = &devices[words[0][0] - '0'];
    happen(current, words[1], words + 2);
    if (!current->parts.memory) continue;
    for (int i = 0; i < STEPS; i++) must(pg_host_step(&current->host), "the engine is broken");
    show_device(current);
  }
  for (int i = 0; i < 2; i++) close_device(current = &devices[i]);
  return 0;
}
