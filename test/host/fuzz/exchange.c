/* Fuzzes two exchanges over a connection with arbitrary behaviour: it may not open, accepts and returns pieces of any
 * size, and may break at any time. The input starts with a length and that many bytes of a call's target. The rest of
 * the input controls the connection, and is also the data that the connection receives. The bytes sent must be one
 * well-formed request to the configured server, and the reports must follow http.h. */
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "http.h"
#include "picogrant-port.h"

enum { TURNS_MAX = 400, SENT_MAX = 4096, TARGET_MAX = 40, TICK_MS = 100 };

static const uint8_t *script;
static size_t script_left;
static uint32_t now_ms;

struct pg_connection {
  int is_open;
};
static struct pg_connection own;
static uint8_t sent[SENT_MAX];
static size_t sent_size;
static uint8_t *handed;
static int starts;

struct seen {
  int statuses;
  int ends;
};

static unsigned next(void) {
  if (!script_left) return 0;
  script_left--;
  return *script++;
}

uint32_t pg_clock_ms(void) { return now_ms; }
uint32_t pg_clock_wall_s(void) { return 1000000000; }

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer, const void *trust) {
  /* By the port's contract, this call ends an open connection. */
  check(!trust, "the server is the configured one");
  check(peer->host_size == 11 && memcmp(peer->host, "api.example", 11) == 0, "the server is the configured one");
  check(peer->port == 443 && peer->is_secure, "the server is the configured one");
  starts++;
  connection->is_open = next() % 16 != 1;
  return connection->is_open;
}

enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  check(connection->is_open, "a connection is used while it is open");
  unsigned what = next() % 8;
  return what == 1 ? PG_CONNECTION_FAILED : what == 2 ? PG_CONNECTION_OPENING : PG_CONNECTION_OPEN;
}

int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  check(connection->is_open, "a connection is used while it is open");
  check(size > 0, "something is sent");
  unsigned what = next();
  if (what == 1) return -1;
  if (what == 2) return 0;
  if (what > 2 && what < size) size = what;
  check(size <= SENT_MAX - sent_size, "exactly one request is sent");
  memcpy(sent + sent_size, bytes, size);
  sent_size += size;
  return (int)size;
}

int pg_connection_flush(struct pg_connection *connection) {
  check(connection->is_open, "a connection is used while it is open");
  unsigned what = next() % 16;
  return what == 1 ? -1 : what != 2;
}

/* Each piece has its own allocation, so that a read beyond its end is detected. */
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  check(connection->is_open, "a connection is used while it is open");
  unsigned what = next() % 64;
  if (what == 0) return script_left ? PG_CONNECTION_NOTHING : PG_CONNECTION_ENDED;
  if (what == 1) return PG_CONNECTION_BROKEN;
  if (what > script_left) what = (unsigned)script_left;
  if (!what) return PG_CONNECTION_ENDED;
  free(handed);
  handed = malloc(what);
  memcpy(handed, script, what);
  script += what;
  script_left -= what;
  *bytes = handed;
  return (int)what;
}

int pg_connection_reason(struct pg_connection *connection) {
  (void)connection;
  return 0;
}

void pg_connection_end(struct pg_connection *connection) { connection->is_open = 0; }

static void take_status(void *context, int status, int retry_after_s) {
  struct seen *seen = context;
  check(seen->ends == 0 && seen->statuses == 0, "status, body and end come in their order");
  check(status >= 200 && status <= 599 && retry_after_s >= -1, "a status is of HTTP");
  seen->statuses++;
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  const struct seen *seen = context;
  check(seen->ends == 0 && seen->statuses == 1, "status, body and end come in their order");
  check(size > 0 && bytes[0] + bytes[size - 1] >= 0, "a piece of the body has bytes");
}

static void take_end(void *context) {
  struct seen *seen = context;
  check(seen->ends == 0 && seen->statuses == 1, "status, body and end come in their order");
  seen->ends++;
}

static void take_failure(void *context) {
  struct seen *seen = context;
  check(seen->ends == 0, "status, body and end come in their order");
  check(!own.is_open, "the connection ends before the end is reported");
  seen->ends++;
}

static void check_sent(const uint8_t *target, size_t target_size) {
  char expected[SENT_MAX];
  size_t size = 0;
  static const char before[] = "GET /v1";
  static const char behind[] =
      " HTTP/1.1\r\nHost: api.example\r\nUser-Agent: fuzz\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
      "Authorization: Bearer token\r\nX-Own: 1\r\n\r\n";
  memcpy(expected, before, sizeof before - 1);
  size += sizeof before - 1;
  memcpy(expected + size, target, target_size);
  size += target_size;
  memcpy(expected + size, behind, sizeof behind - 1);
  size += sizeof behind - 1;
  /* A byte of the target must not end a line or a word of the request. */
  for (size_t i = 0; i < target_size; i++) check(target[i] >= 33 && target[i] <= 126, "only printable characters are sent");
  check(sent_size <= size && memcmp(sent, expected, sent_size) == 0, "exactly one request is sent");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const char *const addresses[] = {"", "", "", "", "", "https://api.example/v1"};
  static const struct pg_http_settings settings = {"fuzz", &own, NULL, 5, 30, 300, {addresses, 6, 0}, NULL, 1, NULL, NULL};
  static const struct pg_http_sink sink = {take_status, take_body, take_end, take_failure, NULL, NULL};
  if (size < 1) return 0;
  size_t target_size = bytes[0] % TARGET_MAX;
  if (target_size > size - 1) target_size = size - 1;
  const uint8_t *target = bytes + 1;
  const struct pg_http_request request = {.is_get = 1,
                                          .endpoint = 5,
                                          .address = "https://api.example/v1",
                                          .target = target,
                                          .target_size = target_size,
                                          .headers = "X-Own: 1\r\n",
                                          .authorization = "Bearer ",
                                          .credentials = (const uint8_t *)"token",
                                          .credentials_size = 5};
  script = target + target_size;
  script_left = size - 1 - target_size;
  now_ms = 0;
  own.is_open = 0;
  struct seen seen = {0, 0};
  struct pg_http http = {0};
  pg_http_open(&http, &settings, &sink, &seen);
  int is_visible = 1;
  for (size_t i = 0; i < target_size; i++) is_visible &= target[i] >= 33 && target[i] <= 126;
  for (int round = 0; round < 2; round++) {
    int was_stored = own.is_open;
    seen = (struct seen){0, 0};
    sent_size = 0;
    starts = 0;
    int is_sent = pg_http_send(&http, &request);
    /* The request must be sent if it is valid and there is a connection, and must not be sent otherwise. */
    check(starts <= is_visible, "only printable characters are sent");
    check(starts + was_stored >= is_visible && is_sent == (is_visible && own.is_open), "a valid request is sent");
    for (int turn = 0; is_sent && turn < TURNS_MAX && !seen.ends; turn++) {
      now_ms += TICK_MS;
      pg_http_work(&http);
    }
    /* The loop has stopped at the end of the exchange, or after the time limit of 30 s. */
    check(seen.ends == is_sent && pg_http_wake_in(&http) == -1, "every exchange ends within its time limit");
    if (is_sent) check_sent(target, target_size);
  }
  pg_http_close(&http);
  check(!own.is_open, "no connection is left open");
  free(handed);
  handed = NULL;
  return 0;
}
