/*
 * The firmware's program: the settings of your server, the device, and a loop that works and sleeps. What it asks of
 * the board is in port.h and in the four other files of this folder.
 */
#include <stdio.h>

#include "core-code.h"
#include "host.h"
#include "port.h"
#include "wipe.h"

enum {
  /* Longer tokens need more: the page "Sizing", or `picogrant sizing`. */
  MEMORY_BYTES = 4096,
};

static struct pg_host host;
static uint8_t memory[MEMORY_BYTES];

/* All texts stay where they are: in flash. */
static const struct pg_settings settings = {
    .client_id = "your client identifier",
    .client_secret = "",
    .scope = "email",
    .device_parameters = "",
    .token_parameters = "",
    .server = "",
    .user_agent = "your-device/1.0",
    .grant_headers = "",
    .resource_headers = "",
    .addresses =
        {
            [PG_ENDPOINT_DEVICE_AUTHORIZATION] = "https://auth.example.com/device/code",
            [PG_ENDPOINT_TOKEN] = "https://auth.example.com/token",
            [PG_ENDPOINT_REVOCATION] = "https://auth.example.com/revoke",
            [PG_ENDPOINT_METADATA] = "",
            [PG_ENDPOINT_EVENTS] = "",
            [PG_ENDPOINT_RESOURCE] = "https://api.example.com",
        },
    .columns = 16,
    .rows = 2,
    .memory_bytes = MEMORY_BYTES,
    .connect_seconds = 10,
    .exchange_seconds = 30,
    .answer_bytes = 65536,
    .renewals = 3,
    .auto_start = 1,
    .client_authentication = PG_CLIENT_AUTHENTICATION_NONE,
};

static void take_report(void *context, enum pg_report report, int a, int b) {
  (void)context;
  static const char *const states[] = PG_STATE_NAMES;
  static const char *const errors[] = PG_ERROR_CODE_NAMES;
  if (report == PG_REPORT_STATE) port_log(states[a]);
  if (b != 0) port_log(errors[b]);
  /* Of memory: sizing, not a fault. The display only says that something is too long. */
  if (pg_host_memory_needed(&host)) {
    char line[64];
    snprintf(line, sizeof line, "MEMORY_BYTES of %d would do", pg_host_memory_needed(&host));
    port_log(line);
  }
  if (pg_get(&host.core, PG_NOT_SAVED)) port_log("not saved: the records' medium has failed");
}

int main(void) {
  const struct pg_host_parts parts = {
      .settings = &settings,
      .code = pg_core_code,
      .code_size = pg_core_code_size,
      .heap_limit = pg_heap_default,
      .memory = memory,
      .medium = &port_medium,
      .connection = &port_connection,
      .trust = NULL, /* whom to trust, in the form that your connection.c takes */
      .report = take_report,
      .body = NULL,
  };
  port_open();
  enum pg_open_result result = pg_host_open(&host, &parts);
  if (result != PG_OPEN_OK) {
    port_log(pg_host_problem(result));
    return 1;
  }
  while (pg_host_step(&host)) {
    int key = port_key();
    if (key == 'q') break;
    if (key) (void)pg_host_letter(&host, key);
    else port_wait(pg_host_wake_in(&host));
  }
  pg_host_close(&host);
  pg_wipe(memory, sizeof memory);
  return 0;
}
