/*
 * Random runs of a device's time of day (wall-clock.h), and of the exchanges that need the time and set it (http.h).
 * There may be a clock chip, whose battery may be empty. A time server and two other servers send the right time, no
 * time, a random one, or one just before the certificate's end. Certificates are valid for 90 days and renewed at day
 * 60, those of the API for 398 days and at day 300. Power may fail between exchanges and during writes. The rules:
 *
 *   No secret is sent if the certificate was checked at a guessed time, or had expired before the stored time.
 *   This also holds for a thief, who has the key of the previous certificate.
 *   The stored time is a Date of the authorization server, within the validity of its certificate.
 *   When the servers send the right time again, each is reached within three attempts, whatever the time server says.
 *   If servers never send a time, each is reached when the time server sends the right time.
 *
 * Usage: wall-clock SEED. Output: `runs N exchanges A questions B stored C cuts D`; exit code 1 at the first fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http.h"
#include "picogrant-numbers.h"
#include "picogrant-port.h"

enum { RUNS = 2000, PHASES = 12, ATTEMPTS = 3, DAY_S = 86400, BUILT_S = 1700000000, EVERY_MS = 60000 };
enum statement { RIGHT, NOTHING, ANYTHING, JUST_BEFORE_THE_END, KINDS };

static uint64_t random_state;
static long exchanges, questions, writes, cuts;
static const char *fault;

static uint32_t below(uint32_t bound) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33) % bound;
}

static uint64_t now_ms; /* the true time */
static enum statement server_says, time_server_says;
static struct pg_wall_clock device;
static struct pg_wall_stored eeprom;
static int has_chip, keeps;
static int64_t chip_ahead_s; /* how far the clock chip is ahead */

/* The current connection, and the certificate of its server. */
static int is_api, is_thief, is_known, is_requested, is_received, ended, responded;
static uint32_t from_s, until_s, judged_s, stated_s;

static uint32_t true_s(void) { return (uint32_t)(now_ms / 1000); }
uint32_t pg_clock_ms(void) { return (uint32_t)now_ms; }
uint32_t pg_clock_wall_s(void) { return pg_wall_clock_now(&device); }

static uint32_t time_of(enum statement statement) {
  switch (statement) {
    case RIGHT:
      return true_s();
    case NOTHING:
      return 0;
    case JUST_BEFORE_THE_END:
      return until_s - 300;
    default:
      return true_s() + below(800 * DAY_S) - 400 * DAY_S;
  }
}

static void keep(const struct pg_wall_stored *stored, uint32_t wall_s) {
  writes++;
  if (is_api || stored->last_s != stated_s || wall_s != stated_s) fault = "the stored time differs from the server's";
  if (stated_s < from_s || stated_s > until_s) fault = "the certificate was invalid at the stored time";
  if (stored->earliest_s > true_s()) fault = "the earliest time is in the future";
  chip_ahead_s = (int64_t)wall_s - true_s();
  eeprom = keeps ? *stored : (struct pg_wall_stored){0, 0};
}

static void start(void) {
  device = (struct pg_wall_clock){.stored = eeprom, .keep = keep};
  pg_wall_clock_earliest(&device, BUILT_S);
  if (has_chip) (void)pg_wall_clock_set(&device, (uint32_t)(true_s() + chip_ahead_s));
}

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer, const void *trust) {
  (void)connection;
  (void)trust;
  uint32_t age_s = (true_s() - BUILT_S) % ((is_api ? 300 : 60) * DAY_S);
  from_s = true_s() - age_s;
  until_s = from_s + (is_api ? 398 : 90) * DAY_S;
  if (is_thief) from_s -= 60 * DAY_S;
  if (is_thief) until_s -= 60 * DAY_S;
  is_requested = is_received = 0;
  judged_s = 0;
  return peer->is_secure;
}

enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  (void)connection;
  if (judged_s == 0) {
    judged_s = pg_wall_clock_judge(&device, from_s, UINT32_MAX);
    if (judged_s >= from_s) judged_s = pg_wall_clock_judge(&device, from_s, until_s);
    is_known = (device.is_sure && judged_s == device.wall_s) || judged_s == device.hint_s;
  }
  return judged_s < from_s || judged_s > until_s ? PG_CONNECTION_FAILED : PG_CONNECTION_OPEN;
}

int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  (void)connection;
  if (size >= 4 && memcmp(bytes, "HEAD", 4) == 0) is_requested = 1;
  questions += size >= 4 && memcmp(bytes, "HEAD", 4) == 0;
  if (size == 6 && memcmp(bytes, "secret", 6) == 0) {
    if (is_requested || !is_known) fault = "a secret goes out at a guessed time";
    if (until_s < eeprom.earliest_s || (until_s < eeprom.last_s && !device.has_stored)) fault = "a thief gets a secret";
  }
  return (int)size;
}

int pg_connection_flush(struct pg_connection *connection) {
  (void)connection;
  return 1;
}

int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  static char response[200];
  (void)connection;
  if (is_received) return PG_CONNECTION_ENDED;
  is_received = 1;
  stated_s = time_of(server_says);
  const time_t output = stated_s;
  struct tm parts;
  char date[64] = "";
  if (stated_s) (void)strftime(date, sizeof date, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", gmtime_r(&output, &parts));
  *bytes = (const uint8_t *)response;
  /* In a response to HEAD, Content-Length is the size of the body that GET would get. No body follows. */
  return snprintf(response, sizeof response, "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n", is_requested ? "405 No" : "200 OK",
                  date, is_requested ? 99 : 0);
}

int pg_connection_reason(struct pg_connection *connection) {
  (void)connection;
  return PG_REASON_NONE;
}
void pg_connection_end(struct pg_connection *connection) { (void)connection; }

static void take_status(void *context, int status, int retry_after_s) {
  (void)context;
  (void)retry_after_s;
  responded = status == 200;
}
static void take_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  (void)bytes;
  (void)size;
}
static void take_end(void *context) {
  (void)context;
  ended = 1;
}

/* Sends a request to one of the two servers. Returns whether it succeeded. */
static int attempt(int of_api) {
  static const char *const addresses[] = {"", "https://a.example/", "", "", "", "https://b.example/"};
  static const struct pg_http_settings settings = {"t", NULL, NULL, 5, 30, 300, {addresses, 6, 0}, &device, 0};
  static const struct pg_http_sink sink = {take_status, take_body, take_end, take_end, NULL};
  const int endpoint = of_api ? PG_ENDPOINT_RESOURCE : PG_ENDPOINT_TOKEN;
  const struct pg_http_request request = {.endpoint = endpoint, .address = addresses[endpoint], .content_type = "text/plain",
                                          .body = (const uint8_t *)"secret", .body_size = 6};
  struct pg_http http = {0};
  is_api = of_api;
  ended = responded = 0;
  exchanges++;
  if (!device.is_sure && time_server_says != NOTHING) pg_wall_clock_hint(&device, time_of(time_server_says));
  pg_http_open(&http, &settings, &sink, NULL);
  ended = !pg_http_send(&http, &request);
  while (!ended) {
    now_ms += 10;
    pg_http_work(&http);
  }
  return responded;
}

/* Runs a device while servers may send wrong times. */
static void run_phases(int says_never) {
  for (int phase = 0; phase < PHASES && !fault; phase++) {
    server_says = says_never ? NOTHING : below(KINDS);
    time_server_says = below(KINDS);
    is_thief = below(4) == 0;
    now_ms += (uint64_t)below(below(3) ? 3600 : 40 * DAY_S) * 1000;
    if (below(3) == 0) {
      cuts++;
      if (below(4) == 0) chip_ahead_s = -(int64_t)true_s() + 946684800; /* a new battery: the clock starts in 2000 */
      start();
    }
    for (uint32_t count = 1 + below(20); count > 0 && !fault; count--) {
      keeps = below(8) > 0;
      (void)attempt(below(4) == 0);
      now_ms += EVERY_MS;
    }
  }
}

static const char *run(void) {
  int says_never = below(4) == 0;
  now_ms = (uint64_t)(BUILT_S + DAY_S + below(300 * DAY_S)) * 1000;
  eeprom = (struct pg_wall_stored){0, 0};
  has_chip = below(2) == 0;
  chip_ahead_s = below(2) ? 0 : (int64_t)below(4000u * DAY_S) - 400 * DAY_S;
  fault = NULL;
  start();
  run_phases(says_never);
  if (fault) return fault;
  if (below(2)) start();
  is_thief = 0;
  server_says = says_never ? NOTHING : RIGHT;
  time_server_says = says_never ? RIGHT : below(KINDS);
  for (int of_api = 0; of_api < 2; of_api++) {
    int attempts = ATTEMPTS;
    while (!attempt(of_api) && --attempts > 0) now_ms += EVERY_MS;
    if (attempts == 0) return of_api ? "no request to the API" : "it does not sign in";
    if (!says_never && !of_api && labs((long)pg_clock_wall_s() - (long)true_s()) > 1) return "the time is wrong";
  }
  return fault;
}

int main(int count, char **arguments) {
  uint32_t seed = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 1;
  for (uint32_t number = 0; number < RUNS; number++) {
    random_state = seed * 7919ull + number;
    (void)below(1);
    const char *wrong = run();
    if (!wrong) continue;
    printf("run %u of seed %u: %s\n", number, seed, wrong);
    return 1;
  }
  printf("runs %d exchanges %ld questions %ld stored %ld cuts %ld\n", RUNS, exchanges, questions, writes, cuts);
  return 0;
}
