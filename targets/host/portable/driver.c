#include "driver.h"

#include <string.h>

#include "assertion.h"
#include "picogrant-port.h"
#include "reason.h"
#include "storage.h"

/* A code verifier and its challenge encode 32 bytes each, so each has 43 characters (RFC 7636 section 4). */
enum { RANDOM_BYTES = PG_SHA256_BYTES, TEXT_SIZE = 43 };

/* Encodes 32 bytes as base64url without padding (RFC 7636 appendix A). */
static void write_text(uint8_t text[TEXT_SIZE], const uint8_t bytes[RANDOM_BYTES]) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (int i = 0; i < TEXT_SIZE; i++) {
    int bit = 6 * i;
    int at = bit >> 3;
    unsigned pair = (unsigned)bytes[at] << 8;
    if (at + 1 < RANDOM_BYTES) pair |= bytes[at + 1];
    text[i] = (uint8_t)alphabet[(pair >> (10 - (bit & 7))) & 63];
  }
}

int pg_code_challenge_make(uint8_t *range, size_t size) {
  uint8_t bytes[RANDOM_BYTES];
  if (size < 2 * TEXT_SIZE || !pg_random(bytes, sizeof bytes)) return 0;
  write_text(range, bytes);
  int is_made = pg_sha256(range, TEXT_SIZE, bytes);
  if (is_made) write_text(range + size - TEXT_SIZE, bytes);
  else pg_wipe(range, TEXT_SIZE);
  pg_wipe(bytes, sizeof bytes);
  return is_made;
}

/* COMMANDS_MAX: more commands in one run count as an endless loop. */
enum { COMMANDS_MAX = 256, ELAPSED_MAX = 134217727 };
/* The number of secrets that an address must not contain: five secrets of the core, and the client's secret. */
enum { SECRETS = 6 };

static int get(const struct pg_driver *driver, enum pg_property property) {
  return pg_get(driver->parts.core, property);
}

static int length_of(const struct pg_driver *driver, int region) {
  return pg_length(driver->parts.core, region);
}

static void note(const struct pg_driver *driver, enum pg_happened what, int number, int error) {
  pg_history_note(driver->parts.history, what, driver->endpoint, number, error);
}

static uint8_t *bytes_at(const struct pg_driver *driver, int start, int size) {
  PG_MUST(start >= 0 && size >= 0 && start <= driver->parts.settings->memory_bytes - size,
          "ranges of the core are in its memory");
  (void)size;
  return driver->parts.memory + start;
}

/* Returns the bytes of a region or field, which must be present. */
static const uint8_t *region_of(const struct pg_driver *driver, int region) {
  return bytes_at(driver, pg_start(driver->parts.core, region), length_of(driver, region));
}

static const char *address_of(const struct pg_driver *driver, int endpoint) {
  if (endpoint < 0 || endpoint >= PG_ADDRESS_COUNT) return "";
  return driver->parts.settings->addresses[endpoint];
}

static const char *headers_for(const struct pg_driver *driver, int endpoint) {
  if (endpoint <= PG_ENDPOINT_REVOCATION) return driver->parts.settings->grant_headers;
  return endpoint >= PG_ENDPOINT_RESOURCE ? driver->parts.settings->resource_headers : NULL;
}

static void set_authorization(const struct pg_driver *driver, struct pg_http_request *request) {
  int authorization = get(driver, PG_AUTHORIZATION);
  int region = authorization == PG_AUTHORIZATION_BEARER ? PG_FIELD_ACCESS_TOKEN
                                                        : PG_REGION_CLIENT_CREDENTIALS;
  if (authorization == PG_AUTHORIZATION_NONE || length_of(driver, region) <= 0) return;
  request->authorization = authorization == PG_AUTHORIZATION_BEARER ? "Bearer " : "Basic ";
  request->credentials = region_of(driver, region);
  request->credentials_size = (size_t)length_of(driver, region);
}

/* Collects the secrets that the target of this request must not contain, and returns their number. For a revocation,
 * only the client's secret counts, because the device authorization specification (section 4.4) puts the token into its
 * target. */
static int take_secrets(const struct pg_driver *driver, struct pg_secret secrets[SECRETS], int endpoint,
                        size_t target_size) {
  static const int regions[SECRETS - 1] = {PG_FIELD_DEVICE_CODE, PG_FIELD_ACCESS_TOKEN,
                                           PG_FIELD_RECEIVED_REFRESH_TOKEN, PG_REGION_REFRESH_TOKEN,
                                           PG_REGION_CODE_VERIFIER};
  const char *own = driver->parts.settings->client_secret;
  int count = 0;
  if (target_size == 0) return 0;
  secrets[count++] = (struct pg_secret){(const uint8_t *)own, strlen(own)};
  for (int i = 0; i < SECRETS - 1 && endpoint != PG_ENDPOINT_REVOCATION; i++) {
    int length = length_of(driver, regions[i]);
    if (length <= 0) continue;
    secrets[count++] = (struct pg_secret){region_of(driver, regions[i]), (size_t)length};
  }
  return count;
}

/* Whether the request has parameters of the grant, which some servers require as JSON. */
static int has_parameters(const struct pg_driver *driver) {
  return get(driver, PG_ENDPOINT) <= PG_ENDPOINT_REVOCATION && !get(driver, PG_IS_GET) &&
         get(driver, PG_BODY_LENGTH) > 0;
}

/* Returns the core's error after an exchange. API calls and the session have separate errors. */
static int error_of_exchange(const struct pg_driver *driver) {
  return get(driver, driver->endpoint > PG_ENDPOINT_REVOCATION ? PG_CALL_ERROR : PG_ERROR);
}

static void note_no_response(const struct pg_driver *driver) {
  note(driver, PG_HAPPENED_NO_RESPONSE, pg_http_reason(driver->parts.http), error_of_exchange(driver));
}

static void send_request(struct pg_driver *driver) {
  struct pg_secret secrets[SECRETS];
  struct pg_http_request request = {
      .is_get = get(driver, PG_IS_GET),
      .endpoint = get(driver, PG_ENDPOINT),
      .address = address_of(driver, get(driver, PG_ENDPOINT)),
      .target = bytes_at(driver, get(driver, PG_TARGET), get(driver, PG_TARGET_LENGTH)),
      .target_size = (size_t)get(driver, PG_TARGET_LENGTH),
      .headers = headers_for(driver, get(driver, PG_ENDPOINT)),
      .content_type = "application/x-www-form-urlencoded",
      .body = bytes_at(driver, get(driver, PG_BODY), get(driver, PG_BODY_LENGTH)),
      .body_size = (size_t)get(driver, PG_BODY_LENGTH),
      .is_json = get(driver, PG_IS_JSON) && has_parameters(driver),
  };
  request.secrets = secrets;
  request.secret_count = take_secrets(driver, secrets, request.endpoint, request.target_size);
  set_authorization(driver, &request);
  PG_MUST(pg_http_wake_in(driver->parts.http) < 0, "one request at a time");
  driver->request_id = get(driver, PG_REQUEST_ID);
  driver->endpoint = request.endpoint;
  driver->streams = 0;
  if (pg_http_send(driver->parts.http, &request)) return;
  pg_response_failed(driver->parts.core, driver->request_id);
  note_no_response(driver);
}

int pg_driver_reason(const struct pg_driver *driver) {
  int state = get(driver, PG_STATE);
#ifdef PG_KEYS
  if (state == PG_STATE_FAILED && pg_keys_replaced(driver->parts.keys)) return PG_REASON_KEY_CHANGED;
#endif
  int waits = state == PG_STATE_REQUESTING ||
              (state == PG_STATE_REFRESHING && get(driver, PG_ERROR) == PG_ERROR_CODE_UNREACHABLE);
  return waits && !get(driver, PG_CODE_CONFIRMED) ? pg_http_reason(driver->parts.http) : PG_REASON_NONE;
}

static void show(struct pg_driver *driver) {
  const struct pg_settings *settings = driver->parts.settings;
  uint8_t frame[PG_REASON_CELLS];
  const uint8_t *cells = bytes_at(driver, pg_start(driver->parts.core, PG_REGION_FRAME),
                                  settings->columns * settings->rows);
  driver->reason = pg_driver_reason(driver);
  if (pg_reason_frame(settings->reasons, driver->reason, frame, settings->columns, settings->rows)) {
    cells = frame;
  }
  pg_display_show(driver->parts.display, cells, settings->columns, settings->rows);
}

/* Reports the result of a storage command to the core. If the command failed, the history records `what`. */
static void storage_done(const struct pg_driver *driver, int result, int is_failure, enum pg_happened what) {
  if (is_failure) {
    pg_history_note(driver->parts.history, what, get(driver, PG_SLOT), 0, PG_ERROR_CODE_NONE);
  }
  pg_storage_done(driver->parts.core, result);
}

static void carry_out(struct pg_driver *driver, int command) {
  int slot = get(driver, PG_SLOT);
  uint8_t *data = bytes_at(driver, get(driver, PG_DATA), get(driver, PG_DATA_LENGTH));
  size_t size = (size_t)get(driver, PG_DATA_LENGTH);
  int result;
  switch (command) {
    case PG_COMMAND_SEND:
      send_request(driver);
      break;
    case PG_COMMAND_ABORT:
      pg_http_abort(driver->parts.http);
      break;
    case PG_COMMAND_SHOW:
      show(driver);
      break;
    case PG_COMMAND_LOAD:
      result = pg_storage_read(driver->parts.medium, slot, data, size);
      storage_done(driver, result, result < 0, PG_HAPPENED_NOT_READ);
      break;
    case PG_COMMAND_STORE:
      result = pg_storage_write(driver->parts.medium, slot, data, size);
      storage_done(driver, result, !result, PG_HAPPENED_NOT_WRITTEN);
      break;
    case PG_COMMAND_ERASE:
      result = pg_storage_erase(driver->parts.medium, slot);
      storage_done(driver, result, !result, PG_HAPPENED_NOT_ERASED);
      break;
    case PG_COMMAND_CHALLENGE:
      pg_storage_done(driver->parts.core, pg_code_challenge_make(data, size));
      break;
    default:
      /* VERIFY: this host does not poll for security events, so there is nothing to verify. */
      break;
  }
}

void pg_driver_start(struct pg_driver *driver, const struct pg_driver_parts *parts) {
  *driver = (struct pg_driver){.parts = *parts, .last_ms = pg_clock_ms(), .reason = PG_REASON_NONE};
}

int pg_driver_run(struct pg_driver *driver) {
  uint32_t now = pg_clock_ms();
  uint32_t elapsed = now - driver->last_ms;
  driver->last_ms = now;
  int command = pg_tick(driver->parts.core, elapsed > ELAPSED_MAX ? ELAPSED_MAX : (int)elapsed);
  for (int count = 0; command != PG_COMMAND_NONE; count++) {
    if (count > COMMANDS_MAX || pg_core_broken(driver->parts.core)) return 0;
    carry_out(driver, command);
    command = pg_tick(driver->parts.core, 0);
  }
  /* The core does not know this reason, so it gives no command SHOW when the reason changes. */
  if (!pg_core_broken(driver->parts.core) && pg_driver_reason(driver) != driver->reason) show(driver);
  return !pg_core_broken(driver->parts.core);
}

int pg_driver_happen(struct pg_driver *driver, void (*event)(struct pg_core *core)) {
  /* First pass the elapsed time, so that it does not shorten a wait that this event starts. */
  if (!pg_driver_run(driver)) return 0;
  event(driver->parts.core);
  return pg_driver_run(driver);
}

int pg_driver_got_response(const struct pg_driver *driver) { return driver->got_response; }

int pg_driver_needs_sign_in(const struct pg_driver *driver) {
  return get(driver, PG_CALL_STATE) == PG_CALL_STATE_DONE &&
         get(driver, PG_CALL_ERROR) == PG_ERROR_CODE_INTERACTION_REQUIRED;
}

/* The following functions report an exchange to the core. pg_http_work calls them (http.h), directly or through keys.c. */

/* Passes an API's WWW-Authenticate, which may require another sign-in, to the application and the core. */
static void take_challenge(void *context, uint8_t c) {
  struct pg_driver *driver = context;
  if (get(driver, PG_ENDPOINT) < PG_ENDPOINT_RESOURCE) return;
  if (driver->parts.challenge) driver->parts.challenge(driver->parts.context, c);
  pg_response_challenge(driver->parts.core, driver->request_id, &c, 1);
}

static void take_status(void *context, int status, int retry_after_s) {
  struct pg_driver *driver = context;
  driver->status = status;
  PG_MUST(driver->request_id == get(driver, PG_REQUEST_ID), "the response belongs to the request in flight");
  driver->streams = pg_response_start(driver->parts.core, driver->request_id, status, retry_after_s);
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  struct pg_driver *driver = context;
  if (driver->streams && driver->parts.body) {
    driver->parts.body(driver->parts.context, bytes, size);
  }
  pg_response_body(driver->parts.core, driver->request_id, bytes, size);
}

/* `id` is a copy, because passing the elapsed time may start another exchange. */
static void take_end(void *context) {
  struct pg_driver *driver = context;
  int id = driver->request_id;
  if (!pg_driver_run(driver)) return;
  pg_response_end(driver->parts.core, id);
  note(driver, PG_HAPPENED_RESPONSE, driver->status, error_of_exchange(driver));
  driver->got_response = 1;
  pg_driver_run(driver);
}

static void take_failure(void *context) {
  struct pg_driver *driver = context;
  int id = driver->request_id;
  if (!pg_driver_run(driver)) return;
  pg_response_failed(driver->parts.core, id);
  note_no_response(driver);
  pg_driver_run(driver);
}

const struct pg_http_sink pg_driver_sink = {
    .status = take_status, .body = take_body, .end = take_end, .failed = take_failure, .challenge = take_challenge};
