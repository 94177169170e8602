/* The loop of picogrant.h carried out (driver.h), for whoever puts a device together without host.h. */
#include "driver.h"

#include "core-code.h"

enum { MEMORY_BYTES = 4096 };

extern struct pg_connection example_connection;
extern struct pg_display example_display;

/* All of one device. */
static struct pg_core core;
static struct pg_http http;
static struct pg_history history;
static struct pg_driver driver;
static struct pg_settings settings;
static uint8_t memory[MEMORY_BYTES];

static int open_core(void) {
  static struct pg_core_config config;
  config.client_id = "tv";
  config.client_secret = config.device_parameters = config.token_parameters = config.messages = "";
  config.scope = "email";
  config.server = "https://auth.example.com";
  config.columns = settings.columns;
  config.rows = settings.rows;
  config.auto_start = 1;
  return pg_core_open(&core, pg_core_code, pg_core_code_size, memory, MEMORY_BYTES, &config, pg_heap_default) == PG_OPEN_OK;
}

int main(void) {
  static struct pg_http_settings own;
  static struct pg_driver_parts parts;
  settings.client_secret = settings.reasons = "";
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) settings.addresses[i] = "";
  settings.addresses[PG_ENDPOINT_DEVICE_AUTHORIZATION] = "https://auth.example.com/device";
  settings.addresses[PG_ENDPOINT_TOKEN] = "https://auth.example.com/token";
  settings.columns = 16;
  settings.rows = 2;
  settings.memory_bytes = MEMORY_BYTES;
  if (!open_core()) return 1;
  own.user_agent = "tv/1.0";
  own.connection = &example_connection;
  own.connect_seconds = own.exchange_seconds = 30;
  own.answer_bytes = 65536;
  own.allowed.addresses = settings.addresses;
  own.allowed.count = PG_ADDRESS_COUNT;
  pg_http_open(&http, &own, &pg_driver_sink, &driver);
  parts.core = &core;
  parts.http = &http;
  parts.history = &history;
  parts.settings = &settings;
  parts.memory = memory;
  parts.display = &example_display;
  pg_driver_start(&driver, &parts);
  for (int i = 0; i < 10000 && pg_get(&core, PG_STATE) != PG_STATE_SIGNED_IN; i++) {
    pg_http_work(&http);
    if (!pg_driver_run(&driver)) return 2;
  }
  if (pg_get(&core, PG_STATE) != PG_STATE_SIGNED_IN || !pg_driver_was_answered(&driver)) return 3;
  if (!pg_driver_happen(&driver, pg_sign_out) || pg_driver_wants_sign_in(&driver)) return 4;
  pg_http_close(&http);
  pg_core_close(&core);
  return 0;
}
