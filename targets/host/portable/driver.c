/* Carries out the core's commands. Contract in driver.h. */
#include "driver.h"

#include <string.h>

#include "assertion.h"
#include "clock.h"
#include "code-challenge.h"
#include "display.h"
#include "history.h"
#include "picogrant.h"
#include "reason.h"
#include "storage.h"

/* More commands in one go mean that something feeds on itself. */
enum { COMMANDS_MAX = 256, ELAPSED_MAX = 134217727 };
/* What may not be in an address: five of the core's, and the client's own. */
enum { SECRETS = 6 };
/* RFC 9110 section 15.5.16: the server takes no bodies of this type. */
enum { UNAUTHORIZED = 401, FORBIDDEN = 403, UNSUPPORTED_MEDIA_TYPE = 415 };
/* RFC 9470 section 3: what a WWW-Authenticate says, in quotation marks or not, where another sign-in is wanted. */
static const char step_up[] = "error=insufficient_user_authentication";
enum { STEP_UP_SIZE = sizeof step_up - 1, ITS_NAME = 5 };

static struct {
  const struct pg_settings *settings;
  const struct pg_medium *medium;
  uint8_t *memory;
  void (*body)(const uint8_t *bytes, size_t size);
  void (*challenge)(uint8_t c);
  uint32_t last_ms;
  int was_answered;
  /* Of the exchange under way. */
  int request_id;
  int endpoint;
  int status;
  int streams;
  int is_refused; /* for the type of its body, and it is sent again in the other: the core does not hear of it */
  /* Of the server: the type of bodies that it takes, and whether the other one has been tried. */
  int is_json;
  int is_settled;
  int is_second; /* the request under way is the one that was sent again */
  int matched;       /* so much of `step_up` the answer of an API has said */
  int wants_sign_in; /* it has said all of it */
  int reason; /* that is on the display; PG_REASON_NONE: the core's frame is */
} driver;

/* Bytes of the core's memory that it has named. */
static uint8_t *bytes_at(int start, int size) {
  PG_MUST(start >= 0 && size >= 0 && start <= driver.settings->memory_bytes - size,
          "what the core names lies in its memory");
  (void)size;
  return driver.memory + start;
}

static const char *address_of(int endpoint) {
  if (endpoint < 0 || endpoint >= PG_ADDRESS_COUNT) return "";
  return driver.settings->addresses[endpoint];
}

/* Headers of the maker's own go to whom they are meant for, and to nobody else. */
static const char *headers_for(int endpoint) {
  if (endpoint <= PG_ENDPOINT_REVOCATION) return driver.settings->grant_headers;
  return endpoint >= PG_ENDPOINT_RESOURCE ? driver.settings->resource_headers : NULL;
}

/* The header that the core asks for: an access token, or the client's credentials. */
static void set_authorization(struct pg_http_request *request, int authorization) {
  int region = authorization == PG_AUTHORIZATION_BEARER ? PG_FIELD_ACCESS_TOKEN
                                                        : PG_REGION_CLIENT_CREDENTIALS;
  if (authorization == PG_AUTHORIZATION_NONE || pg_length(region) <= 0) return;
  request->authorization = authorization == PG_AUTHORIZATION_BEARER ? "Bearer " : "Basic ";
  request->credentials = bytes_at(pg_start(region), pg_length(region));
  request->credentials_size = (size_t)pg_length(region);
}

/*
 * What may not be in the address of this request; how many. Without a target there is nothing to look at. The documents'
 * own revocation has the token in its query (core/SPEC.md).
 */
static int take_secrets(struct pg_secret secrets[SECRETS], int endpoint, size_t target_size) {
  static const int regions[SECRETS - 1] = {PG_FIELD_DEVICE_CODE, PG_FIELD_ACCESS_TOKEN,
                                           PG_FIELD_RECEIVED_REFRESH_TOKEN, PG_REGION_REFRESH_TOKEN,
                                           PG_REGION_CODE_VERIFIER};
  const char *own = driver.settings->client_secret;
  int count = 0;
  if (target_size == 0) return 0;
  secrets[count++] = (struct pg_secret){(const uint8_t *)own, strlen(own)};
  for (int i = 0; i < SECRETS - 1 && endpoint != PG_ENDPOINT_REVOCATION; i++) {
    int length = pg_length(regions[i]);
    if (length <= 0) continue;
    secrets[count++] = (struct pg_secret){bytes_at(pg_start(regions[i]), length), (size_t)length};
  }
  return count;
}

/* Parameters of the grant, which some servers take as JSON alone. */
static int has_parameters(void) {
  return pg_get(PG_ENDPOINT) <= PG_ENDPOINT_REVOCATION && !pg_get(PG_IS_GET) && pg_get(PG_BODY_LENGTH) > 0;
}

/* What the core made of an exchange that is over: a call's error is its own, and not the session's. */
static int error_of_exchange(void) {
  return pg_get(driver.endpoint > PG_ENDPOINT_REVOCATION ? PG_CALL_ERROR : PG_ERROR);
}

static void note_no_answer(void) {
  pg_history_note(PG_HAPPENED_NO_ANSWER, driver.endpoint, pg_http_reason(), error_of_exchange());
}

static int is_call(void) { return pg_get(PG_ENDPOINT) >= PG_ENDPOINT_RESOURCE; }

static void send_request(void) {
  struct pg_secret secrets[SECRETS];
  struct pg_http_request request = {
      .is_get = pg_get(PG_IS_GET),
      .endpoint = pg_get(PG_ENDPOINT),
      .address = address_of(pg_get(PG_ENDPOINT)),
      .target = bytes_at(pg_get(PG_TARGET), pg_get(PG_TARGET_LENGTH)),
      .target_size = (size_t)pg_get(PG_TARGET_LENGTH),
      .headers = headers_for(pg_get(PG_ENDPOINT)),
      .content_type = "application/x-www-form-urlencoded",
      .body = bytes_at(pg_get(PG_BODY), pg_get(PG_BODY_LENGTH)),
      .body_size = (size_t)pg_get(PG_BODY_LENGTH),
      .is_json = driver.is_json && has_parameters(),
  };
  request.secrets = secrets;
  request.secret_count = take_secrets(secrets, request.endpoint, request.target_size);
  set_authorization(&request, pg_get(PG_AUTHORIZATION));
  PG_MUST(pg_http_wake_in() < 0, "one request at a time");
  driver.request_id = pg_get(PG_REQUEST_ID);
  driver.endpoint = request.endpoint;
  driver.streams = driver.is_refused = driver.is_second = driver.matched = 0;
  if (is_call()) driver.wants_sign_in = 0;
  if (*request.address && pg_http_send(&request)) return;
  pg_response_failed(driver.request_id);
  note_no_answer();
}

/* What is to be on the display in place of the core's frame: nothing where a code or the session is there. */
static int reason_to_show(void) {
  int state = pg_get(PG_STATE);
  int waits = state == PG_STATE_REQUESTING ||
              (state == PG_STATE_REFRESHING && pg_get(PG_ERROR) == PG_ERROR_CODE_UNREACHABLE);
  return waits && !pg_get(PG_CODE_SHOWN) ? pg_http_reason() : PG_REASON_NONE;
}

static void show(void) {
  const struct pg_settings *settings = driver.settings;
  uint8_t frame[PG_REASON_CELLS];
  const uint8_t *cells = bytes_at(pg_start(PG_REGION_FRAME), settings->columns * settings->rows);
  driver.reason = reason_to_show();
  if (pg_reason_frame(settings->reasons, driver.reason, frame, settings->columns, settings->rows)) {
    cells = frame;
  }
  pg_display_show(cells, settings->columns, settings->rows);
}

/* Tells the core how a storage command ended; `what` happened where it failed. */
static void storage_done(int result, int is_failure, enum pg_happened what) {
  if (is_failure) pg_history_note(what, pg_get(PG_SLOT), 0, PG_ERROR_CODE_NONE);
  pg_storage_done(result);
}

static void carry_out(int command) {
  int slot = pg_get(PG_SLOT);
  uint8_t *data = bytes_at(pg_get(PG_DATA), pg_get(PG_DATA_LENGTH));
  size_t size = (size_t)pg_get(PG_DATA_LENGTH);
  int result;
  switch (command) {
    case PG_COMMAND_SEND:
      send_request();
      break;
    case PG_COMMAND_ABORT:
      pg_http_abort();
      break;
    case PG_COMMAND_SHOW:
      show();
      break;
    case PG_COMMAND_LOAD:
      result = pg_storage_read(driver.medium, slot, data, size);
      storage_done(result, result < 0, PG_HAPPENED_NOT_READ);
      break;
    case PG_COMMAND_STORE:
      result = pg_storage_write(driver.medium, slot, data, size);
      storage_done(result, !result, PG_HAPPENED_NOT_WRITTEN);
      break;
    case PG_COMMAND_ERASE:
      result = pg_storage_erase(driver.medium, slot);
      storage_done(result, !result, PG_HAPPENED_NOT_ERASED);
      break;
    case PG_COMMAND_CHALLENGE:
      pg_storage_done(pg_challenge_make(data, size));
      break;
    default:
      /* VERIFY: this host asks for no security events, so there is none to check. */
      break;
  }
}

void pg_driver_start(const struct pg_settings *settings, uint8_t *memory,
                     const struct pg_medium *medium,
                     void (*body)(const uint8_t *bytes, size_t size), void (*challenge)(uint8_t c)) {
  driver.settings = settings;
  driver.memory = memory;
  driver.medium = medium;
  driver.body = body;
  driver.challenge = challenge;
  driver.wants_sign_in = 0;
  driver.last_ms = pg_clock_ms();
  driver.was_answered = 0;
  driver.reason = PG_REASON_NONE;
  driver.is_json = settings->json_bodies;
  driver.is_settled = 0;
  pg_challenge_open(settings->pkce);
}

int pg_driver_run(void) {
  uint32_t now = pg_clock_ms();
  uint32_t elapsed = now - driver.last_ms;
  driver.last_ms = now;
  int command = pg_tick(elapsed > ELAPSED_MAX ? ELAPSED_MAX : (int)elapsed);
  for (int count = 0; command != PG_COMMAND_NONE; count++) {
    if (count > COMMANDS_MAX || pg_core_broken()) return 0;
    carry_out(command);
    command = pg_tick(0);
  }
  /* The core does not know the reason, and says nothing new where it is another. */
  if (!pg_core_broken() && reason_to_show() != driver.reason) show();
  return !pg_core_broken();
}

int pg_driver_happen(void (*event)(void)) {
  /* The time until now passes first: a wait that the event starts must not be shortened by it. */
  if (!pg_driver_run()) return 0;
  event();
  return pg_driver_run();
}

int pg_driver_was_answered(void) { return driver.was_answered; }

int pg_driver_wants_sign_in(void) { return driver.wants_sign_in; }

/* Name and value may have blanks and a quotation mark between them. `e` is all that `step_up` begins with again. */
static void take_challenge(uint8_t c) {
  int at = driver.matched;
  int is_between = (at == ITS_NAME || at == ITS_NAME + 1) && (c == ' ' || c == '\t' || c == '"');
  if (!is_call()) return;
  if (driver.challenge) driver.challenge(c);
  if (is_between || at == STEP_UP_SIZE) return;
  if (c >= 'A' && c <= 'Z') c = (uint8_t)(c + 'a' - 'A');
  driver.matched = c == (uint8_t)step_up[at] ? at + 1 : c == 'e';
}

static void take_status(int status, int retry_after_s) {
  driver.status = status;
  PG_MUST(driver.request_id == pg_get(PG_REQUEST_ID), "who answers is the request in flight");
  driver.is_refused = status == UNSUPPORTED_MEDIA_TYPE && has_parameters() && !driver.is_settled;
  pg_challenge_answer(!driver.is_refused && pg_get(PG_ENDPOINT) == PG_ENDPOINT_DEVICE_AUTHORIZATION, status);
  if (driver.is_refused) return;
  /* Both are refused: the one that was meant stays. */
  if (status == UNSUPPORTED_MEDIA_TYPE && driver.is_second) driver.is_json = !driver.is_json;
  /* The core takes a 401 for a dead token and refreshes it. Where another sign-in is wanted no token helps. */
  if (status == UNAUTHORIZED && driver.matched == STEP_UP_SIZE) {
    driver.wants_sign_in = 1;
    status = FORBIDDEN;
  }
  driver.streams = pg_response_start(driver.request_id, status, retry_after_s);
}

static void take_body(const uint8_t *bytes, size_t size) {
  if (driver.is_refused) return;
  pg_challenge_hear(bytes, size);
  if (driver.streams && driver.body) driver.body(bytes, size);
  pg_response_body(driver.request_id, bytes, size);
}

/* The core still waits for the answer, so that its bytes are there: they go out once more, in the other type. */
static void send_otherwise(void) {
  driver.is_settled = 1;
  driver.is_json = !driver.is_json;
  send_request();
  driver.is_second = 1;
}

/* The id is kept: letting time pass may have begun another exchange. */
static void take_end(void) {
  int id = driver.request_id;
  if (!pg_driver_run()) return;
  if (driver.is_refused && id == driver.request_id && pg_get(PG_IN_FLIGHT)) {
    pg_history_note(PG_HAPPENED_ANSWERED, driver.endpoint, driver.status, PG_ERROR_CODE_NONE);
    send_otherwise();
    return;
  }
  int moves = pg_get(PG_MOVES);
  pg_response_end(id);
  pg_history_note(PG_HAPPENED_ANSWERED, driver.endpoint, driver.status, error_of_exchange());
  int is_refused = pg_get(PG_MOVES) != moves && pg_get(PG_STATE) == PG_STATE_FAILED;
  /* A server that wants a code challenge has said so: it is asked once more, with one. */
  if (pg_challenge_is_demanded() && is_refused) pg_sign_in();
  driver.was_answered = 1;
  pg_driver_run();
}

static void take_failure(void) {
  int id = driver.request_id;
  if (!pg_driver_run()) return;
  pg_response_failed(id);
  note_no_answer();
  pg_driver_run();
}

const struct pg_http_sink pg_driver_sink = {take_status, take_body, take_end, take_failure, take_challenge};
