#include "http.h"

#include <string.h>

#include "address.h"
#include "assertion.h"
#include "http-response.h"
#include "picogrant-numbers.h"
#include "picogrant-port.h"

void pg_json_body_start(struct pg_json_body *body, const uint8_t *form, size_t size) {
  *body = (struct pg_json_body){.form = form, .size = size};
}

static size_t put_json(uint8_t *piece, const char *text) {
  size_t size = strlen(text);
  memcpy(piece, text, size);
  return size;
}

static uint8_t digit_of(uint8_t c) { return (uint8_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10); }

/* Writes a character of a name or value. RFC 8259 section 7 defines which ones must be escaped. */
static size_t put_character(uint8_t *piece, uint8_t c) {
  static const char hex[] = "0123456789abcdef";
  size_t size = 0;
  if (c < 32) {
    size = put_json(piece, "\\u00");
    piece[size++] = (uint8_t)hex[c >> 4];
    piece[size++] = (uint8_t)hex[c & 15];
    return size;
  }
  if (c == '"' || c == '\\') piece[size++] = '\\';
  piece[size++] = c;
  return size;
}

/* Writes the next part of the object, at most PG_JSON_BODY_STEP bytes. Returns the number of bytes; 0 at the end. */
static size_t step_of(struct pg_json_body *body, uint8_t *piece) {
  if (!body->is_begun) {
    body->is_begun = 1;
    return put_json(piece, "{\"");
  }
  if (body->at >= body->size) {
    int was_done = body->is_done;
    body->is_done = 1;
    return was_done ? 0 : put_json(piece, "\"}");
  }
  uint8_t c = body->form[body->at++];
  if (c == '=') return put_json(piece, "\":\"");
  if (c == '&') return put_json(piece, "\",\"");
  if (c == '+') return put_character(piece, ' ');
  if (c != '%' || body->size - body->at < 2) return put_character(piece, c);
  const uint8_t *digits = body->form + body->at;
  body->at += 2;
  return put_character(piece, (uint8_t)(digit_of(digits[0]) << 4 | digit_of(digits[1])));
}

size_t pg_json_body_next(struct pg_json_body *body, uint8_t *piece, size_t size) {
  size_t written = 0;
  while (size - written >= PG_JSON_BODY_STEP) {
    size_t count = step_of(body, piece + written);
    if (count == 0) break;
    written += count;
  }
  return written;
}

size_t pg_json_body_size(const uint8_t *form, size_t size) {
  struct pg_json_body body;
  uint8_t piece[PG_JSON_BODY_STEP];
  size_t whole = 0;
  size_t count;
  pg_json_body_start(&body, form, size);
  while ((count = pg_json_body_next(&body, piece, sizeof piece)) > 0) whole += count;
  return whole;
}

/* REUSABLE: a connection is open, and there is no exchange. REUSING: an exchange uses that connection, and has not sent
 * anything yet. No event would wake the loop in this phase, so pg_http_wake_in returns 0. */
enum phase { IDLE, REUSABLE, CONNECTING, REUSING, SENDING, FLUSHING, RESPONDING };

enum question { NOT_REQUESTED, IS_REQUESTED, HAS_RESPONSE };

void pg_http_open(struct pg_http *http, const struct pg_http_settings *settings,
                  const struct pg_http_sink *sink, void *context) {
  pg_http_close(http);
  http->settings = settings;
  http->sink = sink;
  http->context = context;
}

static struct pg_connection *connection_of(const struct pg_http *http) {
  return http->settings->connection;
}

static int is_under_way(const struct pg_http *http) { return http->phase > REUSABLE; }

static void discard_exchange(struct pg_http *http) {
  memset(http->parts, 0, sizeof http->parts);
  pg_wipe(http->piece, sizeof http->piece);
  pg_wipe(&http->response, sizeof http->response);
}

void pg_http_close(struct pg_http *http) {
  if (http->phase == IDLE) return;
  http->phase = IDLE;
  pg_connection_end(connection_of(http));
  discard_exchange(http);
}

void pg_http_abort(struct pg_http *http) {
  if (is_under_way(http)) pg_http_close(http);
}

/* Whether nothing has arrived on an idle connection, neither data nor its end. */
static int is_quiet(struct pg_http *http) {
  const uint8_t *bytes = NULL;
  return pg_connection_receive(connection_of(http), &bytes) == PG_CONNECTION_NOTHING;
}

static int may_rest(struct pg_http *http) {
  return pg_clock_ms() - http->began_ms < (uint32_t)http->keep_s * 1000 && is_quiet(http);
}

/* Whether an open connection can be reused for the request. */
static int has_connection(struct pg_http *http, const struct pg_address *address) {
  const char *own = http->settings->allowed.addresses[http->endpoint];
  return http->phase == REUSABLE && may_rest(http) && pg_is_origin(address, own);
}

/* Whether the bytes are visible characters. Other characters could end a line or a word of the head. */
static int is_visible(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] < 33 || bytes[i] > 126) return 0;
  }
  return 1;
}

static void http_put(struct pg_http *http, const void *bytes, size_t size) {
  PG_MUST(http->part_count < PG_HTTP_PARTS, "the parts of a request fit");
  if (size == 0 || http->part_count == PG_HTTP_PARTS) return;
  http->parts[http->part_count++] = (struct pg_http_part){bytes, size};
}

static void http_put_text(struct pg_http *http, const char *text) { http_put(http, text, strlen(text)); }

/* Writes the address's path and query, and the target. If the address has a query, `&` replaces a leading `?` of the
 * target. */
static void put_target(struct pg_http *http, const struct pg_http_request *request,
                       const struct pg_address *address) {
  const uint8_t *target = request->target;
  size_t size = request->target_size;
  /* An address without a path needs a slash, unless the target starts with one. */
  int brings_slash = !*address->path && size > 0 && target[0] == '/';
  if (*address->path != '/' && !brings_slash) http_put_text(http, "/");
  http_put_text(http, address->path);
  if (size > 0 && target[0] == '?' && strchr(address->path, '?')) {
    http_put_text(http, "&");
    target++;
    size--;
  }
  http_put(http, target, size);
}

static void put_length(struct pg_http *http, size_t size) {
  int at = PG_HTTP_LENGTH - 1;
  http->length[at] = 0;
  do {
    http->length[--at] = (char)('0' + size % 10);
    size /= 10;
  } while (size > 0 && at > 0);
  PG_MUST(size == 0, "a length fits into its digits");
  http_put_text(http, http->length + at);
}

static size_t body_size_of(const struct pg_http_request *request) {
  size_t size = request->is_json ? pg_json_body_size(request->body, request->body_size) : request->body_size;
#ifdef PG_KEYS
  if (request->assertion) size += strlen(request->assertion);
#endif
  return size;
}

static void put_request(struct pg_http *http, const struct pg_http_request *request,
                        const struct pg_address *address) {
  http_put_text(http, "HEAD / HTTP/1.1\r\nHost: ");
  http_put(http, address->authority, address->authority_size);
  http_put_text(http, "\r\nConnection: close\r\n\r\n");
  http_put_text(http, request->is_get ? "GET " : "POST ");
  put_target(http, request, address);
  http_put_text(http, " HTTP/1.1\r\nHost: ");
  http_put(http, address->authority, address->authority_size);
  http_put_text(http, "\r\nUser-Agent: ");
  http_put_text(http, http->settings->user_agent);
  http_put_text(http, "\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n");
  if (!http->settings->keeps_connection) http_put_text(http, "Connection: close\r\n");
  if (request->authorization) {
    http_put_text(http, "Authorization: ");
    http_put_text(http, request->authorization);
    http_put(http, request->credentials, request->credentials_size);
    http_put_text(http, "\r\n");
  }
  if (request->headers) http_put_text(http, request->headers);
#ifdef PG_KEYS
  if (request->proof) http_put_text(http, request->proof);
#endif
  if (!request->is_get) {
    http_put_text(http, "Content-Type: ");
    http_put_text(http, request->is_json ? "application/json" : request->content_type);
    http_put_text(http, "\r\nContent-Length: ");
    put_length(http, body_size_of(request));
    http_put_text(http, "\r\n");
  }
  http_put_text(http, "\r\n");
  if (!request->is_get && !request->is_json) http_put(http, request->body, request->body_size);
#ifdef PG_KEYS
  if (request->assertion) http_put_text(http, request->assertion);
#endif
}

/* Returns NULL for plain http, or if the machine has a reliable clock. */
static struct pg_wall_clock *clock_of(const struct pg_http *http) {
  return http->peer.is_secure ? http->settings->clock : NULL;
}

/* Returns the end of the parts to send now: the request for the server's time, or the actual request. */
static int end_of(const struct pg_http *http) {
  return http->question == IS_REQUESTED ? PG_HTTP_QUESTION : http->part_count;
}

static int connect_to(struct pg_http *http) {
  if (clock_of(http)) pg_wall_clock_begin(clock_of(http));
  if (!pg_connection_start(connection_of(http), &http->peer, http->settings->trust)) return 0;
  http->began_ms = pg_clock_ms();
  http->phase = CONNECTING;
  return 1;
}

/* Evaluates the response's Date. Returns PG_REASON_*. */
static int take_date(const struct pg_http *http) {
  struct pg_wall_clock *clock = clock_of(http);
  return clock ? pg_wall_clock_date(clock, http->response.date_s, http->is_from_issuer) : PG_REASON_NONE;
}

static void report_status(void *context, int status, int retry_after_s) {
  const struct pg_http *http = context;
  PG_MUST(http->phase == RESPONDING && http->part == http->part_count,
          "the response follows the whole request");
  (void)take_date(http);
  http->sink->status(http->context, status, retry_after_s);
}

static void report_body(void *context, const uint8_t *bytes, size_t size) {
  const struct pg_http *http = context;
  http->sink->body(http->context, bytes, size);
}

static void http_report_challenge(void *context, uint8_t c) {
  const struct pg_http *http = context;
  if (http->sink->challenge) http->sink->challenge(http->context, c);
}

#ifdef PG_KEYS
static void http_report_nonce(void *context, uint8_t c) {
  const struct pg_http *http = context;
  if (http->sink->nonce) http->sink->nonce(http->context, c);
}
#endif

static const struct pg_http_response_sink request_sink = {
    .status = report_status,
    .body = report_body,
    .challenge = http_report_challenge,
#ifdef PG_KEYS
    .nonce = http_report_nonce,
#endif
};

/* Receives the response to the request for the server's time. Only the Date matters, with any status. */
static void http_take_time(void *context, int status, int retry_after_s) {
  struct pg_http *http = context;
  (void)status;
  (void)retry_after_s;
  http->question = HAS_RESPONSE;
  http->reason = take_date(http);
}

static void pass_over(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  (void)bytes;
  (void)size;
}

static const struct pg_http_response_sink question_sink = {.status = http_take_time, .body = pass_over};

int pg_http_send(struct pg_http *http, const struct pg_http_request *request) {
  struct pg_address address;
  pg_http_abort(http);
  if (!pg_address_split(request->address, &address) || !is_visible(request->target, request->target_size) ||
      !is_visible(request->credentials, request->credentials_size)) {
    return 0;
  }
  http->part_count = 0;
  http->question = NOT_REQUESTED;
  http->is_from_issuer = request->endpoint < PG_ENDPOINT_RESOURCE;
  http->peer = address.peer;
  http->json = (struct pg_json_body){.is_begun = 1, .is_done = 1};
  if (!request->is_get && request->is_json) pg_json_body_start(&http->json, request->body, request->body_size);
  put_request(http, request, &address);
#ifdef PG_KEYS
  http->request = *request;
  http->request.secret_count = 0;
  http->is_repeated = 0;
#endif
  if (!pg_leak_guard(request, &address, &http->settings->allowed)) return 0;
  int is_open = has_connection(http, &address);
  http->endpoint = request->endpoint;
  http->phase = IDLE;
  if (!is_open) return connect_to(http);
  http->phase = REUSING;
  http->began_ms = pg_clock_ms();
  return 1;
}

/* Ends the exchange as failed. `otherwise` is the reason if the connection reports none. */
static void http_fail(struct pg_http *http, enum pg_reason otherwise) {
  int reason = pg_connection_reason(connection_of(http));
  http->reason = reason == PG_REASON_NONE ? (int)otherwise : reason;
  pg_http_abort(http);
  http->sink->failed(http->context);
}

/* First closes the connection or makes it reusable. Then calls the sink, which may start the next exchange. */
static void succeed(struct pg_http *http) {
  http->reason = PG_REASON_NONE;
  http->keep_s = http->settings->keeps_connection ? pg_http_response_keep_s(&http->response) : 0;
  if (http->keep_s > 0 && is_quiet(http)) {
    discard_exchange(http);
    http->phase = REUSABLE;
    http->began_ms = pg_clock_ms();
  } else {
    pg_http_close(http);
  }
  PG_MUST(!is_under_way(http), "an exchange has ended before its end is reported");
  http->sink->end(http->context);
}

#ifdef PG_KEYS
int pg_http_repeat(struct pg_http *http) {
  const struct pg_http_request request = http->request;
  int is_sent = pg_http_send(http, &request);
  http->is_repeated = 1;
  return is_sent;
}

/* Adds the parts of the request that depend on the time. Returns 0 if the exchange has failed. */
static int complete(struct pg_http *http) {
  struct pg_http_request request = http->request;
  struct pg_address address;
  if (!http->settings->complete) return 1;
  int reason = http->settings->complete(http->settings->signing, &request, http->is_repeated);
  if (reason != PG_REASON_NONE || !pg_address_split(request.address, &address)) {
    http_fail(http, (enum pg_reason)reason);
    return 0;
  }
  http->part_count = 0;
  put_request(http, &request, &address);
  return 1;
}
#endif

/* Starts to send the request. At a guessed time, sends only the request for the server's time, once per exchange. */
static void begin_to_send(struct pg_http *http) {
  struct pg_wall_clock *clock = clock_of(http);
  int is_guessed = clock && !pg_wall_clock_holds(clock);
  if (is_guessed && http->question == HAS_RESPONSE) {
    http_fail(http, PG_REASON_CLOCK_WRONG);
    return;
  }
#ifdef PG_KEYS
  if (!is_guessed && !complete(http)) return;
#endif
  if (is_guessed) http->question = IS_REQUESTED;
  http->part = is_guessed ? 0 : PG_HTTP_QUESTION;
  http->part_at = 0;
  http->phase = SENDING;
  /* The length in the response to HEAD is that of a page of any size, which does not arrive. */
  uint32_t body_max = is_guessed ? UINT32_MAX : http->settings->response_bytes;
  pg_http_response_start(&http->response, is_guessed ? &question_sink : &request_sink, http, body_max, pg_clock_wall_s());
}

/* Connects again for the actual request if the time is now reliable. Otherwise the exchange fails. */
static void end_question(struct pg_http *http) {
  if (http->reason == PG_REASON_NONE && connect_to(http)) return;
  http_fail(http, http->reason == PG_REASON_NONE ? PG_REASON_SERVER_SILENT : (enum pg_reason)http->reason);
}

static void open_connection(struct pg_http *http) {
  switch (pg_connection_work(connection_of(http))) {
    case PG_CONNECTION_OPEN:
      begin_to_send(http);
      break;
    case PG_CONNECTION_FAILED:
      http_fail(http, PG_REASON_SERVER_SILENT);
      break;
    default:
      break;
  }
}

/* Returns 1 if the body has another piece, 0 if the whole request has been sent. */
static int next_piece(struct pg_http *http) {
  size_t size = pg_json_body_next(&http->json, http->piece, sizeof http->piece);
  http->part = http->part_count = 0;
  http_put(http, http->piece, size);
  return size > 0;
}

/* Sends the parts of the request. Returns 1 to continue at once, 0 to wait or after a failure. */
static int send_parts(struct pg_http *http) {
  while (http->part < end_of(http) || (http->question != IS_REQUESTED && next_piece(http))) {
    const struct pg_http_part *part = &http->parts[http->part];
    int taken = pg_connection_send(connection_of(http), part->bytes + http->part_at,
                                   part->size - http->part_at);
    if (taken < 0) http_fail(http, PG_REASON_CUT_OFF);
    if (taken <= 0) return 0;
    http->part_at += (size_t)taken;
    PG_MUST(http->part_at <= part->size, "at most the part is sent");
    if (http->part_at < part->size) continue;
    http->part++;
    http->part_at = 0;
  }
  http->phase = FLUSHING;
  return 1;
}

static int flush(struct pg_http *http) {
  int done = pg_connection_flush(connection_of(http));
  if (done < 0) http_fail(http, PG_REASON_CUT_OFF);
  if (done <= 0) return 0;
  http->phase = RESPONDING;
  return 1;
}

/* Receives bytes of the response. Returns 1 if more may have arrived, 0 to wait or after the end of the exchange. */
static int receive(struct pg_http *http) {
  const uint8_t *bytes = NULL;
  enum pg_http_response_result result = PG_HTTP_RESPONSE_INVALID;
  int was_requested = http->question == IS_REQUESTED;
  int size = pg_connection_receive(connection_of(http), &bytes);
  if (size == PG_CONNECTION_NOTHING) return 0;
  if (size > 0) result = pg_http_response_read(&http->response, bytes, (size_t)size);
  else if (size == PG_CONNECTION_ENDED) result = pg_http_response_closed(&http->response);
  else http->response.reason = PG_REASON_CUT_OFF;
  if (was_requested && http->question == HAS_RESPONSE) {
    end_question(http);
    return 0;
  }
  if (result == PG_HTTP_RESPONSE_END) succeed(http);
  if (result == PG_HTTP_RESPONSE_INVALID) http_fail(http, (enum pg_reason)http->response.reason);
  return result == PG_HTTP_RESPONSE_MORE;
}

int pg_http_reason(const struct pg_http *http) {
  int is_connecting = http->phase == CONNECTING;
  int reason = is_connecting ? pg_connection_reason(connection_of(http)) : PG_REASON_NONE;
  return reason == PG_REASON_NONE ? http->reason : reason;
}

static int limit_ms(const struct pg_http *http) {
  int connecting = http->phase == CONNECTING;
  int seconds = connecting ? http->settings->connect_seconds : http->settings->exchange_seconds;
  return seconds * 1000;
}

static int left_ms(const struct pg_http *http) {
  uint32_t passed = pg_clock_ms() - http->began_ms;
  uint32_t limit = (uint32_t)limit_ms(http);
  return passed >= limit ? 0 : (int)(limit - passed);
}

int pg_http_wake_in(const struct pg_http *http) {
  if (!is_under_way(http)) return -1;
  return http->phase == REUSING ? 0 : left_ms(http);
}

static void http_go_on(struct pg_http *http) {
  if (http->phase == CONNECTING) open_connection(http);
  else (void)pg_connection_work(connection_of(http));
  if (http->phase == REUSING) begin_to_send(http);
  if (http->phase == SENDING && !send_parts(http)) return;
  if (http->phase == FLUSHING && !flush(http)) return;
  while (http->phase == RESPONDING && receive(http)) {
  }
}

void pg_http_work(struct pg_http *http) {
  if (http->phase == REUSABLE && !may_rest(http)) pg_http_close(http);
  if (!is_under_way(http)) return;
  http_go_on(http);
  /* The limit applies in every phase, also if the server does not read the request. */
  if (is_under_way(http) && left_ms(http) == 0) http_fail(http, PG_REASON_SERVER_SILENT);
}
