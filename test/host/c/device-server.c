/* The server of each device, and the way to it, both out of the device's own seed. Contract in device-life.h. */
#include <stdio.h>
#include <string.h>

#include "device-life.h"

/* Of a length, until the end, or in chunks. */
static void begin_body(struct pg_connection *connection, int status, const char *headers,
                       const char *body) {
  struct life *life = connection->life;
  size_t size = strlen(body);
  char *to = connection->answer;
  int kind = life_below(life, 3);
  int length = snprintf(to, LIFE_ANSWER, "HTTP/1.1 %d x\r\n%s", status, headers);
  size_t room = LIFE_ANSWER - (size_t)length;
  to += length;
  if (kind == 0) length += snprintf(to, room, "Content-Length: %d\r\n\r\n%s", (int)size, body);
  if (kind == 1) length += snprintf(to, room, "\r\n%s", body);
  if (kind == 2) {
    length += snprintf(to, room, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", (unsigned)size, body);
  }
  connection->answer_size = (size_t)length;
}

static void answer_code(struct pg_connection *connection) {
  struct life *life = connection->life;
  char body[512];
  int wants_challenge = life_below(life, 2) == 0 && !strstr(connection->sent, "code_challenge=");
  int code = ++life->codes;
  if (wants_challenge) {
    begin_body(connection, 400, "",
               "{\"error\":\"invalid_request\",\"error_description\":\"code_challenge is missing\"}");
    return;
  }
  snprintf(body, sizeof body,
           "{\"device_code\":\"code-%d-%d\",\"user_code\":\"AB%02d-%04d\","
           "\"verification_uri\":\"https://s%d.example/d\",\"expires_in\":%d,\"interval\":%d}",
           life->number, code, life->number % 100, code % 10000, life->number,
           20 + life_below(life, 600), 1 + life_below(life, 6));
  begin_body(connection, 200, "", body);
}

static void answer_token(struct pg_connection *connection) {
  struct life *life = connection->life;
  char body[2000];
  static const char *const errors[] = {"authorization_pending", "authorization_pending",
                                       "authorization_pending", "slow_down", "access_denied",
                                       "expired_token", "invalid_grant"};
  int code = ++life->codes;
  int is_refresh = strstr(connection->sent, "grant_type=refresh") ||
                   strstr(connection->sent, "\"refresh_token\"");
  if (life_below(life, 2) > 0 && !(is_refresh && life_below(life, 6) > 0)) {
    snprintf(body, sizeof body, "{\"error\":\"%s\"}", errors[life_below(life, is_refresh ? 7 : 6)]);
    begin_body(connection, 400, "", body);
    return;
  }
  /* A long one has no room in every device. */
  char filler[1401] = "";
  if (life_below(life, 5) == 0) memset(filler, '0', 200 + (size_t)life_below(life, 1200));
  snprintf(body, sizeof body,
           "{\"access_token\":\"access-%d-%s%d\",%s\"refresh_token\":\"refresh-%d-%d\","
           "\"token_type\":\"Bearer\",\"expires_in\":%d}",
           life->number, filler, code, life_below(life, 2) ? "\"scope\":\"email\"," : "", life->number,
           code, 30 + life_below(life, 400));
  begin_body(connection, 200, "", body);
}

static void answer_call(struct pg_connection *connection) {
  struct life *life = connection->life;
  static const char step_up[] =
      "WWW-Authenticate: Bearer error=\"insufficient_user_authentication\", acr_values=\"a\"\r\n";
  static const char invalid[] = "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
  char body[200];
  int item = life_below(life, 100);
  snprintf(body, sizeof body, "{\"of\":%d,\"items\":[%d,%d]}", life->number, ++life->codes, item);
  int what = life_below(life, 6);
  if (what == 0) begin_body(connection, 401, step_up, body);
  else if (what == 1) begin_body(connection, 401, invalid, body);
  else begin_body(connection, 200, "", body);
}

/* The whole request has come: what the server makes of it. */
static void serve(struct pg_connection *connection) {
  struct life *life = connection->life;
  const char *sent = connection->sent;
  int what = life_below(life, 24);
  life->counts.requests++;
  life_note(life, "request %.*s\n", (int)connection->sent_size, sent);
  connection->is_silent = what == 0;
  if (what == 1) begin_body(connection, 503, "Retry-After: 3\r\n", "busy");
  else if (life_below(life, 8) < life->types) begin_body(connection, 415, "", "{}");
  else if (what == 4) begin_body(connection, 200, "", "{\"nothing\":[1,2,{}]}");
  else if (strstr(sent, "/device")) answer_code(connection);
  else if (strstr(sent, "/token")) answer_token(connection);
  else if (strstr(sent, "/revoke")) begin_body(connection, 200, "", "{}");
  else answer_call(connection);
}

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust) {
  struct life *life = connection->life;
  life_enter(life, "another device's connection is started");
  life_check(trust == life, "another device's trust");
  life_note(life, "start %.*s %d %d\n", (int)peer->host_size, peer->host, (int)peer->port, peer->is_secure);
  connection->sent_size = connection->answer_size = connection->answer_at = 0;
  connection->state = PG_CONNECTION_OPENING;
  connection->is_silent = 0;
  connection->is_used = life_below(life, 40) > 0;
  return connection->is_used;
}

enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  struct life *life = connection->life;
  life_enter(life, "another device's connection is worked on");
  if (connection->state != PG_CONNECTION_OPENING) return connection->state;
  int what = life_below(life, 20);
  if (what < 12) connection->state = PG_CONNECTION_OPEN;
  if (what == 12) connection->state = PG_CONNECTION_FAILED;
  return connection->state;
}

int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  struct life *life = connection->life;
  life_enter(life, "bytes go out over another device's connection");
  if (life_below(life, 12) == 0) return 0;
  if (life_below(life, 3) == 0) size = 1 + (size_t)life_below(life, (int)size);
  life_check(size < LIFE_REQUEST - connection->sent_size, "a request without end");
  memcpy(connection->sent + connection->sent_size, bytes, size);
  connection->sent_size += size;
  connection->sent[connection->sent_size] = 0;
  return (int)size;
}

int pg_connection_flush(struct pg_connection *connection) {
  struct life *life = connection->life;
  life_enter(life, "another device's connection is flushed");
  int what = life_below(life, 30);
  if (what < 4) return what == 0 ? -1 : 0;
  serve(connection);
  return 1;
}

int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  struct life *life = connection->life;
  life_enter(life, "an answer is taken from another device's connection");
  int what = life_below(life, 60);
  size_t left = connection->answer_size - connection->answer_at;
  *bytes = (const uint8_t *)connection->answer + connection->answer_at;
  if (connection->is_silent || what < 12) return PG_CONNECTION_NOTHING;
  if (what == 12 && life_below(life, 4) == 0) return PG_CONNECTION_BROKEN;
  if (left == 0) return PG_CONNECTION_ENDED;
  size_t size = 1 + (size_t)life_below(life, 16);
  if (size > left) size = left;
  connection->answer_at += size;
  return (int)size;
}

int pg_connection_reason(struct pg_connection *connection) {
  life_check(life_has_turn(connection->life), "another device's connection is asked for a reason");
  return connection->life->number % 2 ? PG_REASON_NONE : PG_REASON_NO_CABLE;
}

void pg_connection_end(struct pg_connection *connection) {
  life_check(life_has_turn(connection->life), "another device's connection is ended");
  connection->is_used = 0;
  life_note(connection->life, "end\n");
}
