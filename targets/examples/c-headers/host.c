/*
 * A device (host.h), with the port of connection.c, clock.c and display.c: it signs in, tells its states and signs out. A
 * second device is a second struct device, with a connection of its own, stepped in the same loop.
 */
#include "host.h"

#include <stdio.h>

#include "core-code.h"

enum { MEMORY_BYTES = 4096 };

extern struct pg_connection example_connection;
extern struct pg_display example_display;

struct device {
  struct pg_host host;
  struct pg_host_parts parts;
  struct pg_settings settings;
  uint8_t memory[MEMORY_BYTES];
  int reports;
};

static struct device device;

static void take_report(void *context, enum pg_report report, int a, int b) {
  struct device *own = (struct device *)context;
  own->reports++;
  printf("report %d: %d, %d\n", (int)report, a, b);
}

static void choose(struct pg_settings *settings) {
  settings->client_id = "tv";
  settings->scope = "email";
  settings->user_agent = "tv/1.0";
  settings->client_secret = settings->device_parameters = settings->token_parameters = "";
  settings->messages = settings->reasons = settings->server = "";
  settings->grant_headers = settings->resource_headers = "";
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) settings->addresses[i] = "";
  settings->addresses[PG_ENDPOINT_DEVICE_AUTHORIZATION] = "https://auth.example.com/device";
  settings->addresses[PG_ENDPOINT_TOKEN] = "https://auth.example.com/token";
  settings->columns = 16;
  settings->rows = 2;
  settings->memory_bytes = MEMORY_BYTES;
  settings->connect_seconds = settings->exchange_seconds = 30;
  settings->answer_bytes = 65536;
  settings->auto_start = 1;
}

static int run_until(struct pg_host *host, int state) {
  for (int i = 0; i < 10000 && pg_host_step(host); i++) {
    if (pg_get(&host->core, PG_STATE) == state) return 1;
    /* A board sleeps here for pg_host_wake_in(host) milliseconds, or until network or key wake it. */
  }
  return 0;
}

int main(void) {
  struct pg_host *host = &device.host;
  choose(&device.settings);
  device.parts.settings = &device.settings;
  device.parts.code = pg_core_code;
  device.parts.code_size = pg_core_code_size;
  device.parts.heap_limit = pg_heap_default;
  device.parts.memory = device.memory;
  device.parts.connection = &example_connection;
  device.parts.display = &example_display;
  device.parts.report = take_report;
  device.parts.context = &device;
  enum pg_open_result result = pg_host_open(host, &device.parts);
  if (result != PG_OPEN_OK) return puts(pg_host_problem(result)) < 0 ? 1 : 2;
  if (!run_until(host, PG_STATE_SIGNED_IN) || !pg_host_is_well(host)) return 3;
  pg_host_key(host, PG_KEY_SIGN_OUT);
  if (!run_until(host, PG_STATE_SIGNED_OUT)) return 4;
  pg_host_close(host);
  return device.reports > 2 ? 0 : 5;
}
