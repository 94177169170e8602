/* One exchange (http.h), with the server of connection.c. A second device would have a second struct pg_http. */
#include "http.h"

#include <string.h>

#include "picogrant-numbers.h"

extern struct pg_connection example_connection;

struct seen {
  int status;
  int is_over;
};

static void take_status(void *context, int status, int retry_after_s) {
  struct seen *seen = (struct seen *)context;
  (void)retry_after_s;
  seen->status = status;
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  (void)bytes;
  (void)size;
}

static void take_end(void *context) {
  struct seen *seen = (struct seen *)context;
  seen->is_over = 1;
}

int main(void) {
  static const struct pg_http_sink sink = {take_status, take_body, take_end, take_end, NULL};
  static const char *const addresses[] = {"https://auth.example.com/device"};
  static const struct pg_http_settings settings = {
      "example/1.0", &example_connection, NULL, 10, 30, 65536, {addresses, 1, 0}};
  static struct pg_http http;
  static struct pg_http_request request;
  struct seen seen = {0, 0};
  request.is_get = 1;
  request.endpoint = PG_ENDPOINT_DEVICE_AUTHORIZATION;
  request.address = addresses[0];
  request.target = (const uint8_t *)"";
  pg_http_open(&http, &settings, &sink, &seen);
  if (!pg_http_send(&http, &request)) return 1;
  while (!seen.is_over) pg_http_work(&http);
  pg_http_close(&http);
  return seen.status == 200 && pg_http_wake_in(&http) == -1 && pg_http_reason(&http) == PG_REASON_NONE ? 0 : 2;
}
