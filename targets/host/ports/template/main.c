/* A device in C that calls your own API after the sign-in: it reads a list page by page and prints it. If the API
 * refuses the token (401), the core refreshes the token and repeats the call. connection.c, medium.c, display.c and
 * clock.c contain the functions of the board. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "picogrant-port.h"
#include "port.h"

/* The sizes of this program. Longer tokens need more memory (see the page "Sizing", or `picogrant sizing`). */
enum { MEMORY_BYTES = 4096, PAGE_BYTES = 2048, ADDRESS_BYTES = 256 };

static struct pg_host host;
static uint8_t memory[MEMORY_BYTES];
static char addresses[4][ADDRESS_BYTES];

/* The response to the current call, as much as fits, and the next call. */
static char page[PAGE_BYTES];
static size_t page_bytes;
static char target[64];
static int needs_call;

/* Returns a setting from the environment, for tests on the desktop. On a board, settings are constants in flash. */
static const char *setting(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value ? value : otherwise;
}

static const char *address(int number, const char *base, const char *path) {
  snprintf(addresses[number], ADDRESS_BYTES, "%s%s", base, path);
  return addresses[number];
}

/* Makes a page of the list the next call. `number` is "" for the first page, which is read after the sign-in. */
static void need_page(const char *number) {
  snprintf(target, sizeof target, "/items?page=%s", number);
  page_bytes = 0;
  needs_call = 1;
}

/* Receives a piece of a response, which is valid during this call only. */
static void take_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  size_t capacity = sizeof page - 1 - page_bytes;
  if (size > capacity) size = capacity;
  memcpy(page + page_bytes, bytes, size);
  page_bytes += size;
  page[page_bytes] = 0;
}

/* Handles the end of a call. With status 0 there was no response, and the program may repeat the call. */
static void take_response(int status) {
  if (status == 401) port_log("the API does not take this token, not even a new one");
  else if (status != 200) fprintf(stderr, "the API responded %d\n", status);
  if (status != 200) return;
  printf("page %s\n", page);
  const char *next = strstr(page, "\"next\":\"");
  if (!next) {
    puts("that is all");
    return;
  }
  char number[16] = "";
  sscanf(next, "\"next\":\"%15[0-9a-z]", number);
  need_page(number);
}

/* Use the token like this in protocols other than HTTP. Do not keep the pointer, because each step may change the token. */
static void use_token(void) {
  int length = pg_length(&host.core, PG_FIELD_ACCESS_TOKEN);
  const uint8_t *token = memory + pg_start(&host.core, PG_FIELD_ACCESS_TOKEN);
  if (length > 0) printf("the token has %d bytes, the first is %s\n", length, *token > 32 ? "visible" : "not");
}

/* Prints details for developers, for which the display has no space. */
static void print_what_lacks(void) {
  int needed = pg_host_memory_needed(&host);
  if (needed) fprintf(stderr, "a response does not fit: it needs MEMORY_BYTES of %d\n", needed);
  if (pg_get(&host.core, PG_NOT_SAVED)) port_log("not saved: the next start asks for a new code");
}

static void take_report(void *context, enum pg_report report, int a, int b) {
  (void)context;
  static const char *const states[] = PG_STATE_NAMES;
  static const char *const errors[] = PG_ERROR_CODE_NAMES;
  static int was_signed_in;
  if (report == PG_REPORT_CALL) take_response(a);
  if (report != PG_REPORT_STATE) return;
  port_log(states[a]);
  print_what_lacks();
  if (a == PG_STATE_SIGNED_IN && !was_signed_in) {
    was_signed_in = 1;
    use_token();
    need_page("");
  }
  if (a == PG_STATE_FAILED) {
    was_signed_in = 0;
    /* The sign-in has failed, or the session has ended. The display says who can fix it; the key `s` signs in again. */
    fprintf(stderr, "the session is over: %s\n", errors[b]);
  }
}

static void press(int key) {
  if (key == 'a') need_page("");
  else (void)pg_host_letter(&host, key);
}

/* Starts a required call. The loop does that, because a report must not start a call. */
static void call_if_required(void) {
  if (!needs_call) return;
  needs_call = 0;
  if (!pg_host_call(&host, PG_ENDPOINT_RESOURCE, target)) port_log("not signed in, or a call is under way");
}

static int run(const struct pg_settings *settings) {
  const struct pg_host_parts parts = {
      .settings = settings,
      .memory = memory,
      .medium = &port_medium,
      .connection = &port_connection,
      .trust = NULL, /* the trusted authorities, in the format of your connection.c */
      .report = take_report,
      .body = take_body,
#ifdef PG_KEYS
      .signer = port_signer(),
#endif
  };
  enum pg_open_result result = pg_host_open(&host, &parts);
  if (result != PG_OPEN_OK) {
    port_log(pg_host_problem(result));
    return 1;
  }
  while (pg_host_step(&host)) {
    int key = port_key();
    if (key == 'q') break;
    if (key) press(key);
    call_if_required();
    if (!key) port_wait(pg_host_wake_in(&host));
  }
  pg_host_close(&host);
  pg_wipe(memory, sizeof memory);
  return 0;
}

int main(void) {
  const char *server = setting("SERVER", "http://127.0.0.1:8080");
  const struct pg_settings settings = {
      .client_id = setting("CLIENT_ID", "living-room-tv"),
      .client_secret = setting("CLIENT_SECRET", "tv-secret"),
      .scope = setting("SCOPE", "email"),
      .device_parameters = "",
      .token_parameters = "",
      .server = "",
      .user_agent = "your-device/1.0",
      .grant_headers = "",
      .resource_headers = "",
      .addresses =
          {
              [PG_ENDPOINT_DEVICE_AUTHORIZATION] = address(0, server, "/device/code"),
              [PG_ENDPOINT_TOKEN] = address(1, server, "/token"),
              [PG_ENDPOINT_REVOCATION] = address(2, server, "/revoke"),
              [PG_ENDPOINT_METADATA] = "",
              [PG_ENDPOINT_EVENTS] = "",
              [PG_ENDPOINT_RESOURCE] = address(3, setting("API", "http://127.0.0.1:8629"), ""),
          },
      .columns = 16,
      .rows = 2,
      .memory_bytes = MEMORY_BYTES,
      .connect_seconds = 10,
      .exchange_seconds = 30,
      .response_bytes = 65536,
      .renewals = 3,
      .auto_start = 1,
      .client_authentication = PG_CLIENT_AUTHENTICATION_CLIENT_SECRET_POST,
  };
  port_open();
  return run(&settings);
}
