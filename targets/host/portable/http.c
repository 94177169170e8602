/* One HTTP/1.1 exchange at a time. Contract in http.h. */
#include "http.h"

#include <string.h>

#include "address.h"
#include "assertion.h"
#include "clock.h"
#include "connection.h"
#include "http-answer.h"
#include "json-body.h"
#include "last-look.h"
#include "picogrant-numbers.h"
#include "wipe.h"

enum { PARTS_MAX = 24, LENGTH_DIGITS = 10, PIECE_SIZE = 64 };

enum phase { IDLE, CONNECTING, SENDING, FLUSHING, ANSWERING };

struct part {
  const uint8_t *bytes;
  size_t size;
};

static struct {
  const struct pg_http_settings *settings;
  const struct pg_http_sink *sink;
  enum phase phase;
  uint32_t began_ms;
  /* The request, in the order in which it goes out, and how far it is. */
  struct part parts[PARTS_MAX];
  int part_count;
  int part;
  size_t part_at;
  /* Behind the parts, piece by piece: a form that goes out as JSON. */
  struct pg_json_body json;
  uint8_t piece[PIECE_SIZE];
  int reason; /* why the last exchange failed */
  char length[LENGTH_DIGITS + 1];
  struct pg_answer answer;
} http;

void pg_http_open(const struct pg_http_settings *settings, const struct pg_http_sink *sink) {
  http.settings = settings;
  http.sink = sink;
  http.phase = IDLE;
}

void pg_http_abort(void) {
  if (http.phase == IDLE) return;
  http.phase = IDLE;
  pg_connection_end();
  memset(http.parts, 0, sizeof http.parts);
  pg_wipe(http.piece, sizeof http.piece);
  pg_wipe(&http.answer, sizeof http.answer);
}

void pg_http_close(void) { pg_http_abort(); }

/* Nothing that ends a line or a word may get into a head. */
static int is_visible(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] < 33 || bytes[i] > 126) return 0;
  }
  return 1;
}

static void put(const void *bytes, size_t size) {
  PG_MUST(http.part_count < PARTS_MAX, "a request has room for its parts");
  if (size == 0 || http.part_count == PARTS_MAX) return;
  http.parts[http.part_count++] = (struct part){bytes, size};
}

static void put_text(const char *text) { put(text, strlen(text)); }

/* The address's own query goes on with the target's. */
static void put_target(const struct pg_http_request *request, const struct pg_address *address) {
  const uint8_t *target = request->target;
  size_t size = request->target_size;
  /* An address that ends with its host needs a slash, unless the target brings it. */
  int brings_slash = !*address->path && size > 0 && target[0] == '/';
  if (*address->path != '/' && !brings_slash) put_text("/");
  put_text(address->path);
  if (size > 0 && target[0] == '?' && strchr(address->path, '?')) {
    put_text("&");
    target++;
    size--;
  }
  put(target, size);
}

static void put_length(size_t size) {
  int at = LENGTH_DIGITS;
  http.length[at] = 0;
  do {
    http.length[--at] = (char)('0' + size % 10);
    size /= 10;
  } while (size > 0 && at > 0);
  PG_MUST(size == 0, "a length fits its digits");
  put_text(http.length + at);
}

static void put_request(const struct pg_http_request *request, const struct pg_address *address) {
  put_text(request->is_get ? "GET " : "POST ");
  put_target(request, address);
  put_text(" HTTP/1.1\r\nHost: ");
  put(address->authority, address->authority_size);
  put_text("\r\nUser-Agent: ");
  put_text(http.settings->user_agent);
  put_text("\r\nAccept: application/json\r\nConnection: close\r\n");
  if (request->authorization) {
    put_text("Authorization: ");
    put_text(request->authorization);
    put(request->credentials, request->credentials_size);
    put_text("\r\n");
  }
  if (request->headers) put_text(request->headers);
  if (!request->is_get) {
    put_text("Content-Type: ");
    put_text(request->is_json ? "application/json" : request->content_type);
    put_text("\r\nContent-Length: ");
    put_length(request->is_json ? pg_json_body_size(request->body, request->body_size) : request->body_size);
    put_text("\r\n");
  }
  put_text("\r\n");
  if (!request->is_get && !request->is_json) put(request->body, request->body_size);
}

static void report_status(int status, int retry_after_s) {
  PG_MUST(http.phase == ANSWERING && http.part == http.part_count,
          "an answer comes behind the whole request");
  http.sink->status(status, retry_after_s);
}

static void report_body(const uint8_t *bytes, size_t size) { http.sink->body(bytes, size); }

static void report_challenge(uint8_t c) {
  if (http.sink->challenge) http.sink->challenge(c);
}

int pg_http_send(const struct pg_http_request *request) {
  static const struct pg_answer_sink sink = {report_status, report_body, report_challenge};
  struct pg_address address;
  pg_http_abort();
  if (!pg_address_split(request->address, &address) || !is_visible(request->target, request->target_size) ||
      !is_visible(request->credentials, request->credentials_size)) {
    return 0;
  }
  http.part_count = http.part = 0;
  http.part_at = 0;
  http.json = (struct pg_json_body){.is_begun = 1, .is_done = 1};
  if (!request->is_get && request->is_json) pg_json_body_start(&http.json, request->body, request->body_size);
  put_request(request, &address);
  pg_answer_start(&http.answer, &sink, http.settings->answer_bytes, pg_clock_wall_s());
  if (!pg_last_look(request, &address, &http.settings->allowed)) return 0;
  if (!pg_connection_start(&address.peer, http.settings->trust)) return 0;
  http.began_ms = pg_clock_ms();
  http.phase = CONNECTING;
  return 1;
}

static void fail(void) {
  int reason = pg_connection_reason();
  /* The time is over, and the connection has nothing to say. */
  http.reason = reason == PG_REASON_NONE ? PG_REASON_SERVER_SILENT : reason;
  pg_http_abort();
  http.sink->failed();
}

/* The connection is given up first: what the end brings about may be the next exchange. */
static void succeed(void) {
  http.reason = PG_REASON_NONE;
  pg_http_abort();
  PG_MUST(http.phase == IDLE, "an exchange is over before its end is told");
  http.sink->end();
}

static void open_connection(void) {
  switch (pg_connection_work()) {
    case PG_CONNECTION_OPEN:
      http.phase = SENDING;
      break;
    case PG_CONNECTION_FAILED:
      fail();
      break;
    default:
      break;
  }
}

/* 1: there is another piece of the body; 0: all of the request has gone out. */
static int next_piece(void) {
  size_t size = pg_json_body_next(&http.json, http.piece, sizeof http.piece);
  http.part = http.part_count = 0;
  put(http.piece, size);
  return size > 0;
}

/* 1: goes on at once; 0: must wait, or has failed. */
static int send_parts(void) {
  while (http.part < http.part_count || next_piece()) {
    const struct part *part = &http.parts[http.part];
    int taken = pg_connection_send(part->bytes + http.part_at, part->size - http.part_at);
    if (taken < 0) fail();
    if (taken <= 0) return 0;
    http.part_at += (size_t)taken;
    PG_MUST(http.part_at <= part->size, "no more goes out than the part has");
    if (http.part_at < part->size) continue;
    http.part++;
    http.part_at = 0;
  }
  http.phase = FLUSHING;
  return 1;
}

static int flush(void) {
  int done = pg_connection_flush();
  if (done < 0) fail();
  if (done <= 0) return 0;
  http.phase = ANSWERING;
  return 1;
}

/* 1: more may have come; 0: must wait, or the exchange is over. */
static int receive(void) {
  const uint8_t *bytes = NULL;
  enum pg_answer_result result = PG_ANSWER_MORE;
  int size = pg_connection_receive(&bytes);
  if (size == PG_CONNECTION_NOTHING) return 0;
  if (size > 0) result = pg_answer_read(&http.answer, bytes, (size_t)size);
  else if (size == PG_CONNECTION_ENDED) result = pg_answer_closed(&http.answer);
  else result = PG_ANSWER_BAD;
  if (result == PG_ANSWER_END) succeed();
  if (result == PG_ANSWER_BAD) fail();
  return result == PG_ANSWER_MORE;
}

int pg_http_reason(void) {
  int reason = http.phase == CONNECTING ? pg_connection_reason() : PG_REASON_NONE;
  return reason == PG_REASON_NONE ? http.reason : reason;
}

static int limit_ms(void) {
  int connecting = http.phase == CONNECTING;
  int seconds = connecting ? http.settings->connect_seconds : http.settings->exchange_seconds;
  return seconds * 1000;
}

int pg_http_wake_in(void) {
  if (http.phase == IDLE) return -1;
  uint32_t passed = pg_clock_ms() - http.began_ms;
  uint32_t limit = (uint32_t)limit_ms();
  return passed >= limit ? 0 : (int)(limit - passed);
}

void pg_http_work(void) {
  if (http.phase == IDLE) return;
  if (http.phase == CONNECTING) open_connection();
  else (void)pg_connection_work();
  if (http.phase == SENDING && !send_parts()) return;
  if (http.phase == FLUSHING && !flush()) return;
  while (http.phase == ANSWERING && receive()) {
  }
  if (http.phase != IDLE && pg_http_wake_in() == 0) fail();
}
