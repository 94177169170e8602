/* Tests a port's connection. The check's own server (`npx picogrant check-server`) sends the responses that the tests need.
 * If another HTTP server responds instead, fewer tests are possible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "check.h"
#include "picogrant-port.h"
#include "port.h"

/* CHECK_SERVER: the address of the check's server. CHECK_NOBODY: an address without a server. */
#ifndef CHECK_SERVER
#define CHECK_SERVER "http://127.0.0.1:8099/"
#endif
#ifndef CHECK_NOBODY
#define CHECK_NOBODY "http://127.0.0.1:9/"
#endif

/* The text that the signer signs. The server verifies the signature of the same text. */
#define SIGNED "picogrant check"

enum {
  RESPONSE_MS = 10000 * CHECK_SLOWNESS,
  /* Time limit for the end of the connection after the last byte of a response. */
  END_MS = 1000 * CHECK_SLOWNESS,
  /* CALL_MS: a longer call is slow; no call may wait. SLOW_CALLS are accepted: the system may interrupt the program. */
  CALL_MS = 250 * CHECK_SLOWNESS,
  SLOW_CALLS = 2,
  HEAD = 512,
  TEXT = 32,
  /* The size of the long response and of the long request. */
  PATTERN_BYTES = 5000,
  SENT_BYTES = 3000,
  /* The number of connections that are opened and ended in turn. */
  CONNECTIONS = 24,
  /* How long port_wait may sleep. It must wake earlier, because the server's response comes after 1.5 s. */
  LATE_WAIT_MS = 5000 * CHECK_SLOWNESS,
  CLOCK_MS = 2000 * CHECK_SLOWNESS,
  DAY_S = 86400
};

/* A response. What does not fit into `head` or `text` is dropped. */
struct response {
  char head[HEAD]; /* the head of the response, with the empty line at its end */
  size_t head_size;
  int has_head;
  char text[TEXT]; /* the first bytes of the body */
  uint32_t bytes;  /* the number of bytes of the body */
  uint32_t first_wrong; /* the position of the first wrong byte, if the body should be the pattern */
  int end;         /* the last result of pg_connection_receive */
  uint32_t longest_wait; /* the longest sleep in port_wait */
};

static uint8_t pattern_at(uint32_t place) { return (uint8_t)(33 + (place * 7u + (place >> 8)) % 90u); }

static int slow_calls; /* the number of calls that took longer than CALL_MS */

static void note_call(uint32_t start) { slow_calls += check_is_over(start, CALL_MS); }

/* Connects within a time limit. Returns OPEN or FAILED, or OPENING if the limit has passed. */
static enum pg_connection_state connect_to(const char *text, struct pg_address *address, uint32_t most_ms) {
  if (!pg_address_split(text, address)) return PG_CONNECTION_FAILED;
  uint32_t start = pg_clock_ms();
  int begun = pg_connection_start(&port_connection, &address->peer, NULL);
  note_call(start);
  if (!begun) return PG_CONNECTION_FAILED;
  enum pg_connection_state state = PG_CONNECTION_OPENING;
  while (state == PG_CONNECTION_OPENING && !check_is_over(start, most_ms)) {
    uint32_t call = pg_clock_ms();
    state = pg_connection_work(&port_connection);
    note_call(call);
    if (state == PG_CONNECTION_OPENING) port_wait(10);
  }
  return state;
}

/* Sends all bytes. Returns 1, or 0 if the connection failed or the time limit has passed. */
static int send_all(const void *from, size_t size) {
  const uint8_t *bytes = from;
  uint32_t start = pg_clock_ms();
  while (size > 0 && !check_is_over(start, RESPONSE_MS)) {
    int taken = pg_connection_send(&port_connection, bytes, size);
    if (taken < 0 || (size_t)taken > size) return 0;
    bytes += taken;
    size -= (size_t)taken;
    if (taken == 0) port_wait(10);
  }
  int flushed = 0;
  while (size == 0 && flushed == 0 && !check_is_over(start, RESPONSE_MS)) {
    flushed = pg_connection_flush(&port_connection);
    if (flushed == 0) port_wait(10);
  }
  return flushed == 1;
}

static int send_text(const char *text) { return send_all(text, strlen(text)); }

/* Sends a request with `body_bytes` bytes of the pattern as its body (0: none), in pieces of different sizes. */
static int request(const struct pg_address *address, const char *path, uint32_t body_bytes) {
  static uint8_t piece[1024];
  char length[48] = "";
  if (body_bytes) snprintf(length, sizeof length, "Content-Length: %lu\r\n", (unsigned long)body_bytes);
  int is_sent = send_text(body_bytes ? "POST /" : "GET /") && send_text(path) &&
                send_text(" HTTP/1.1\r\nConnection: close\r\nHost: ") &&
                send_all(address->authority, address->authority_size) && send_text("\r\n") &&
                send_text(length) && send_text("\r\n");
  uint32_t size = 1;
  for (uint32_t at = 0; is_sent && at < body_bytes; at += size, size = size * 2 % 1023) {
    if (size > body_bytes - at) size = body_bytes - at;
    for (uint32_t i = 0; i < size; i++) piece[i] = pattern_at(at + i);
    is_sent = send_all(piece, size);
  }
  return is_sent;
}

static void take_byte(struct response *response, uint8_t byte) {
  if (!response->has_head) {
    /* Heads of the check's own server fit. In a longer head, each further byte overwrites the last one. */
    response->head[response->head_size] = (char)byte;
    if (response->head_size < HEAD - 2) response->head_size++;
    response->has_head = response->head_size > 3 && memcmp(response->head + response->head_size - 4, "\r\n\r\n", 4) == 0;
    return;
  }
  if (response->bytes < TEXT - 1) response->text[response->bytes] = (char)byte;
  if (byte != pattern_at(response->bytes) && response->first_wrong > response->bytes) response->first_wrong = response->bytes;
  response->bytes++;
}

/* Whether the body is as long as the head says. */
static int is_whole(const struct response *response) {
  const char *length = response->has_head ? strstr(response->head, "content-length: ") : NULL;
  return length && response->bytes >= strtoul(length + strlen("content-length: "), NULL, 10);
}

/* Reads until the connection ends or a time limit has passed. Sleeps for at most `wait_ms` if no bytes have arrived. */
static void read_response(struct response *response, int wait_ms) {
  uint32_t start = pg_clock_ms();
  uint32_t most_ms = RESPONSE_MS;
  memset(response, 0, sizeof *response);
  response->first_wrong = UINT32_MAX;
  response->end = PG_CONNECTION_NOTHING;
  while (response->end >= 0 && !check_is_over(start, most_ms)) {
    const uint8_t *bytes = NULL;
    uint32_t call = pg_clock_ms();
    response->end = pg_connection_receive(&port_connection, &bytes);
    note_call(call);
    for (int i = 0; i < response->end; i++) take_byte(response, bytes[i]);
    if (response->end > 0 && is_whole(response)) {
      start = pg_clock_ms();
      most_ms = END_MS;
    }
    if (response->end != PG_CONNECTION_NOTHING) continue;
    uint32_t slept = pg_clock_ms();
    port_wait(wait_ms);
    slept = pg_clock_ms() - slept;
    if (slept > response->longest_wait) response->longest_wait = slept;
  }
}

static int exchange(const char *path, uint32_t body_bytes, int wait_ms, struct response *response) {
  struct pg_address address;
  int is_sent = connect_to(CHECK_SERVER, &address, RESPONSE_MS) == PG_CONNECTION_OPEN && request(&address, path, body_bytes);
  if (is_sent) read_response(response, wait_ms);
  else memset(response, 0, sizeof *response);
  pg_connection_end(&port_connection);
  return is_sent;
}

/* Parses a number in the body. `*rest` is the position after it. */
static uint32_t number_in(const char *text, const char **rest) {
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  *rest = end;
  return (uint32_t)number;
}

/* Tests opening a connection. Returns 0 if no further test is possible. */
static int check_opening(const char *opens, const char *fails) {
  struct pg_address address;
  struct response response;
  enum pg_connection_state state = connect_to(CHECK_SERVER, &address, RESPONSE_MS);
  int ends = 0;
  check(state == PG_CONNECTION_OPEN, opens, fails);
  if (state == PG_CONNECTION_OPEN) {
    check(request(&address, "pattern", 0), "ok connection: a request goes out",
          "not ok connection: send and flush do not get a request of some 90 bytes out in 10 s");
    read_response(&response, 10);
    check(memcmp(response.head, "HTTP/1.", 7) == 0, "ok connection: the response arrives",
          "not ok connection: what was received is no HTTP response");
    ends = response.end == PG_CONNECTION_ENDED;
    check(ends, "ok connection: its end is ENDED",
          "not ok connection: the server closed in order, and receive did not say ENDED");
  }
  pg_connection_end(&port_connection);
  return ends;
}

static void check_bytes(void) {
  struct response response;
  char line[160];
  exchange("pattern", 0, 10, &response);
  snprintf(line, sizeof line, "not ok connection: of a response of %d bytes %lu came, and the first wrong one is number %ld",
           PATTERN_BYTES, (unsigned long)response.bytes,
           response.first_wrong == UINT32_MAX ? -1L : (long)response.first_wrong);
  check(response.bytes == PATTERN_BYTES && response.first_wrong == UINT32_MAX,
        "ok connection: a long response arrives whole", line);

  uint32_t sum = 0;
  for (uint32_t at = 0; at < SENT_BYTES; at++) sum = sum * 31u + pattern_at(at);
  int is_sent = exchange("echo", SENT_BYTES, 10, &response);
  const char *rest;
  uint32_t came = number_in(response.text, &rest);
  uint32_t came_sum = number_in(rest, &rest);
  snprintf(line, sizeof line, "not ok connection: of %d bytes that send took, the server has seen %lu%s", SENT_BYTES,
           (unsigned long)came, came == SENT_BYTES ? ", and others" : "");
  check(is_sent && came == SENT_BYTES && came_sum == sum, "ok connection: a long request goes out whole", line);
}

static void check_ends(void) {
  struct response response;
  exchange("reset", 0, 10, &response);
  check(response.end == PG_CONNECTION_BROKEN, "ok connection: one that is broken off is BROKEN",
        "not ok connection: the server broke it off (TCP reset), and receive did not say BROKEN");

  for (int i = 0; i < CONNECTIONS; i++) {
    struct pg_address address;
    /* End every second connection while it opens. */
    (void)connect_to(CHECK_SERVER, &address, i % 2 ? RESPONSE_MS : 0);
    pg_connection_end(&port_connection);
  }
  port_wait(300 * CHECK_SLOWNESS);
  exchange("open", 0, 10, &response);
  const char *rest;
  uint32_t open = number_in(response.text, &rest);
  char line[120];
  snprintf(line, sizeof line, "not ok connection: %d were ended, and the server still has %lu open", CONNECTIONS,
           (unsigned long)open);
  /* At most two may be open: the current connection, and the previous one, which may still be closing. */
  check(response.bytes > 0 && open <= 2, "ok connection: those that were ended are closed", line);
}

/* Returns the server's time in milliseconds. Sets `*own_ms` to the port's time then, `*wall_s` to the server's date. */
static uint32_t server_clock(uint32_t *own_ms, uint32_t *wall_s) {
  struct response response;
  const char *rest;
  exchange("clock", 0, 10, &response);
  *own_ms = pg_clock_ms();
  uint32_t ms = number_in(response.text, &rest);
  *wall_s = number_in(rest, &rest);
  return ms;
}

static void check_times(void) {
  struct response response;
  exchange("late", 0, LATE_WAIT_MS, &response);
  check(response.bytes > 0 && response.longest_wait < LATE_WAIT_MS - 1000, "ok clock: port_wait comes back when bytes come",
        "not ok clock: a response came after 1.5 s, and port_wait(5000) slept on");

  uint32_t own_from, own_to, wall_s;
  uint32_t from = server_clock(&own_from, &wall_s);
  while (!check_is_over(own_from, CLOCK_MS)) port_wait(10);
  uint32_t passed = server_clock(&own_to, &wall_s) - from;
  uint32_t own = own_to - own_from;
  uint32_t apart = own > passed ? own - passed : passed - own;
  char line[120];
  snprintf(line, sizeof line, "not ok clock: in %lu ms of the server's pg_clock_ms counted %lu", (unsigned long)passed,
           (unsigned long)own);
  check(apart <= passed / 5 + 200 * CHECK_SLOWNESS, "ok clock: it is as fast as the server's", line);

  uint32_t date = pg_clock_wall_s();
  uint32_t days = (date > wall_s ? date - wall_s : wall_s - date) / DAY_S;
  snprintf(line, sizeof line, "not ok clock: pg_clock_wall_s is %lu days from the server's date", (unsigned long)days);
  check(date == 0 || days == 0, "ok clock: the date is the server's, or not known", line);
}

#ifdef PG_KEYS
/* Sends the public key and a signature in hexadecimal digits to the server, which verifies the signature. */
static void check_signer(void) {
  enum { KEY = 2 * PG_COORDINATE_BYTES, ALL = KEY + PG_SIGNATURE_BYTES };
  const struct pg_signer *signer = port_signer();
  struct response response;
  uint8_t sent[ALL];
  char path[16 + 2 * ALL] = "signature?";
  size_t length = strlen(path);
  if (!signer) return;
  memcpy(sent, signer->x, PG_COORDINATE_BYTES);
  memcpy(sent + PG_COORDINATE_BYTES, signer->y, PG_COORDINATE_BYTES);
  check(signer->sign(signer->context, (const uint8_t *)SIGNED, strlen(SIGNED), sent + KEY) == PG_SIGNATURE_BYTES,
        "ok signer: it signs", "not ok signer: sign has failed, or a signature has not 64 bytes: r and s, not DER");
  for (int i = 0; i < ALL; i++) length += (size_t)snprintf(path + length, 3, "%02x", sent[i]);
  exchange(path, 0, 10, &response);
  check(memcmp(response.text, "valid", 5) == 0, "ok signer: its signature is that of its public key",
        "not ok signer: the signature is not that of x and y, or not of the SHA-256 of the message");
}
#endif

static int is_check_server(void) {
  struct response response;
  exchange("open", 0, 10, &response);
  response.head[response.head_size] = 0;
  return strstr(response.head, "picogrant-check: 1") != NULL;
}

void check_connection(void) {
  struct pg_address address;
  pg_connection_end(&port_connection);
  port_log("ok connection: ending none is harmless");
  int opens = check_opening("ok connection: it opens", "not ok connection: none to " CHECK_SERVER
                            "; `npx picogrant check-server` listens there (CHECK_SERVER names another)");
  opens &= check_opening("ok connection: a second one opens after the first",
                         "not ok connection: a second one does not open after pg_connection_end");
  if (!opens) {
    port_log("# connection: fix that first; the other checks did not run");
  } else if (is_check_server()) {
    check_bytes();
    check_ends();
    check_times();
#ifdef PG_KEYS
    check_signer();
#endif
  } else {
    check_is_whole = 0;
    port_log("# connection: " CHECK_SERVER " is not the server of the check: what only it can see was not tried");
  }
  enum pg_connection_state state = connect_to(CHECK_NOBODY, &address, RESPONSE_MS);
  pg_connection_end(&port_connection);
  check(state == PG_CONNECTION_FAILED, "ok connection: where nobody listens it fails",
        "not ok connection: where nobody listens, work does not say FAILED within 10 s");
  check(slow_calls <= SLOW_CALLS, "ok connection: no call waits",
        "not ok connection: calls took 250 ms or more; the device stands still as long");
}
