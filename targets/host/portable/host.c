#include "host.h"

#include "picogrant-port.h"
#include "storage.h"

/* Returns 26 random bits, which only spread the device's waits; 0 if the port has no random bytes. */
static int random_seed(void) {
  uint8_t bytes[4] = {0};
  if (!pg_random(bytes, sizeof bytes)) return 0;
  return (int)((uint32_t)(bytes[0] & 3) << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
               bytes[3]);
}

/* Names the server to which the records belong: the issuer or, without one, the whole address of the token endpoint,
 * because tenants may share an origin. Scheme and host are in lower case. Older versions used only the origin
 * (`former`), and their records stay valid. */
static void name_server(const struct pg_settings *settings, struct pg_host_names *names) {
  const char *address = settings->addresses[PG_ENDPOINT_TOKEN];
  int slashes = 0;
  size_t at = 0;
  size_t origin_size = 0;
  names->former = "";
  names->server = settings->server;
  if (*settings->server) return;
  for (; address[at] && at + 1 < PG_HOST_NAME; at++) {
    char c = address[at];
    if (c == '/') slashes++;
    if (c == '?') slashes += 3;
    if (slashes < 3) {
      c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
      names->origin[origin_size++] = c;
    }
    names->whole[at] = c;
  }
  names->whole[at] = names->origin[origin_size] = 0;
  names->former = names->origin;
  /* An address that is too long is used unchanged. */
  names->server = address[at] ? address : names->whole;
}

/* Returns one bit for each endpoint that has an address. */
static int endpoints_of(const struct pg_settings *settings) {
  int endpoints = 0;
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) {
    if (*settings->addresses[i]) endpoints |= 1 << i;
  }
  return endpoints;
}

static enum pg_open_result open_core(struct pg_host *host, const struct pg_host_parts *parts) {
  const struct pg_settings *settings = parts->settings;
  name_server(settings, &host->names);
  struct pg_core_config config = {
      .client_id = settings->client_id,
      .client_secret = settings->client_secret,
      .scope = settings->scope,
      .device_parameters = settings->device_parameters,
      .token_parameters = settings->token_parameters,
      .messages = settings->messages,
      .columns = settings->columns,
      .rows = settings->rows,
      .seed = random_seed(),
      .auto_start = settings->auto_start,
      .renewals_max = settings->renewals,
      .start_spread_ms = settings->start_spread_ms,
      .pkce = settings->pkce ? PG_PKCE_ALWAYS : PG_PKCE_ON_DEMAND,
      .json_bodies = settings->json_bodies,
      .client_authentication = settings->client_authentication,
      .server = host->names.server,
      .former_server = host->names.former,
      .engine = parts->engine,
  };
  enum pg_open_result result = pg_core_open(&host->core, parts->memory, (size_t)settings->memory_bytes, &config);
  if (result == PG_OPEN_OK) pg_set_endpoints(&host->core, endpoints_of(settings));
  return result;
}

int pg_host_memory_needed(struct pg_host *host) { return pg_get(&host->core, PG_MEMORY_NEEDED); }

static int capacity_in_record(struct pg_host *host, int region) {
  int capacity = pg_capacity(&host->core, region);
  return PG_RECORD_LENGTH + (capacity > 0 ? capacity : 0);
}

/* Returns the length of the longest record that the device may write. platform/driver/device.ts has the same rule. */
static int record_bytes_max(struct pg_host *host) {
  static const int regions[] = PG_RECORD_OF_CODE;
  int output = pg_capacity(&host->core, PG_REGION_OUTPUT);
  int bytes = PG_RECORD_FRAME + output;
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) bytes += capacity_in_record(host, regions[i]);
  /* A record is written to the output, and its content is also in the regions. So it has at most half of these
   * bytes. */
  return bytes / 2 < output ? bytes / 2 : output;
}

/* Whether the slots are large enough. Checked at the start, so that the tokens fit when the user has signed in. */
static int has_capacity(struct pg_host *host, const struct pg_host_parts *parts) {
  const struct pg_medium *medium = parts->medium;
  return !medium || parts->has_failed_medium || (int)pg_storage_capacity(medium) >= record_bytes_max(host);
}

static void open_http(struct pg_host *host) {
  const struct pg_host_parts *parts = host->parts;
  const struct pg_settings *settings = parts->settings;
  host->http_settings = (struct pg_http_settings){
      settings->user_agent,
      parts->connection,
      parts->trust,
      settings->connect_seconds,
      settings->exchange_seconds,
      (uint32_t)settings->response_bytes,
      {settings->addresses, PG_ADDRESS_COUNT, settings->allow_http},
      parts->clock,
      parts->keeps_connection,
#ifdef PG_KEYS
      parts->signer ? pg_keys_complete : NULL,
      &host->keys,
#endif
  };
#ifdef PG_KEYS
  pg_keys_open(&host->keys, parts->signer, settings, &host->http, &pg_driver_sink, &host->driver);
#endif
  pg_host_take_http(host);
}

enum pg_open_result pg_host_open(struct pg_host *host, const struct pg_host_parts *parts) {
  *host = (struct pg_host){.moves = -1};
#ifdef PG_KEYS
  if (!parts->signer && (parts->settings->dpop || parts->settings->private_key_jwt)) return PG_OPEN_INVALID_CONFIG;
#endif
  enum pg_open_result result = open_core(host, parts);
  if (result != PG_OPEN_OK) return result;
  if (!has_capacity(host, parts)) {
    pg_core_close(&host->core);
    return PG_OPEN_SMALL_STORAGE;
  }
  host->parts = parts;
  host->ok = 1;
  open_http(host);
  const struct pg_driver_parts driven = {
      .core = &host->core,
      .http = &host->http,
      .history = &host->history,
      .settings = parts->settings,
      .memory = parts->memory,
      .display = parts->display,
      .body = parts->body,
      .challenge = parts->challenge,
      .context = parts->context,
#ifdef PG_KEYS
      .medium = pg_keys_medium(&host->keys, parts->medium),
      .keys = &host->keys,
#else
      .medium = parts->medium,
#endif
  };
  pg_driver_start(&host->driver, &driven);
  return PG_OPEN_OK;
}

const char *pg_host_problem(enum pg_open_result result) {
  switch (result) {
    case PG_OPEN_OK:
      return "";
    case PG_OPEN_SMALL_MEMORY:
      return "too few bytes of memory for the configuration, or a setting is out of range";
    case PG_OPEN_INVALID_CONFIG:
      return "a setting is missing or out of range";
    case PG_OPEN_OTHER_RELEASE:
      return "the core is of another release than this host";
    case PG_OPEN_SMALL_STORAGE:
      return "the medium's slots are too small for the records of a device with this much memory";
    case PG_OPEN_NO_HEAP:
      return "too little heap for the engine and the core";
    default:
      /* If its heap is full, an engine may throw the same error as for invalid code. */
      return "not the core's, or of another version of the engine; or too little heap";
  }
}

static void report(const struct pg_host *host, enum pg_report what, int a, int b) {
  const struct pg_host_parts *parts = host->parts;
  if (parts->report) parts->report(parts->context, what, a, b);
}

static int is_trouble(int error) {
  return error != PG_ERROR_CODE_NONE && error != PG_ERROR_CODE_AUTHORIZATION_PENDING && error != PG_ERROR_CODE_SLOW_DOWN;
}

/* Reports that a request has failed and is retried, unless the report of a new state already has the error. */
static void report_trouble(struct pg_host *host, int has_moved) {
  int error = pg_get(&host->core, PG_ERROR);
  if (pg_http_wake_in(&host->http) >= 0) return;
  int reason = is_trouble(error) ? pg_http_reason(&host->http) : PG_REASON_NONE;
  int trouble = error << 8 | reason;
  if (trouble == host->trouble) return;
  host->trouble = trouble;
  if (is_trouble(error) && !has_moved) report(host, PG_REPORT_TROUBLE, error, reason);
}

static void report_changes(struct pg_host *host) {
  int moves = pg_get(&host->core, PG_MOVES);
  int call = pg_get(&host->core, PG_CALL_STATE);
  if (moves != host->moves) {
    pg_history_note(&host->history, PG_HAPPENED_STATE, pg_get(&host->core, PG_STATE), 0, pg_get(&host->core, PG_ERROR));
    report(host, PG_REPORT_STATE, pg_get(&host->core, PG_STATE), pg_get(&host->core, PG_ERROR));
  }
  report_trouble(host, moves != host->moves);
  if (call != host->call && call == PG_CALL_STATE_DONE) {
    report(host, PG_REPORT_CALL, pg_get(&host->core, PG_CALL_STATUS), pg_get(&host->core, PG_CALL_ERROR));
  }
  host->moves = moves;
  host->call = call;
}

int pg_host_step(struct pg_host *host) {
  if (!host->ok) return 0;
  pg_http_work(&host->http);
  host->ok = pg_driver_run(&host->driver) && !pg_core_broken(&host->core);
  if (host->ok) report_changes(host);
  else report(host, PG_REPORT_BROKEN, 0, 0);
  return host->ok;
}

/* Returns how long the host may sleep. While a code is displayed, the core asks to be woken for each change of the
 * display. With `countdown_ms`, the host sleeps longer, but not beyond the next poll. */
static int rests_for(struct pg_host *host, int core_ms) {
  int calm_ms = host->parts->countdown_ms;
  if (core_ms == 0 || calm_ms <= core_ms || pg_http_wake_in(&host->http) >= 0) return core_ms;
  if (pg_get(&host->core, PG_STATE) != PG_STATE_PENDING || !pg_get(&host->core, PG_CODE_CONFIRMED)) return core_ms;
  int wait_ms = pg_get(&host->core, PG_WAIT_MS);
  if (wait_ms < calm_ms) calm_ms = wait_ms;
  return calm_ms > core_ms ? calm_ms : core_ms;
}

/* Whether a call has ended, and the next step must report its end. */
static int has_to_report(struct pg_host *host) {
  return host->call != PG_CALL_STATE_DONE && pg_get(&host->core, PG_CALL_STATE) == PG_CALL_STATE_DONE;
}

int pg_host_wake_in(struct pg_host *host) {
  if (has_to_report(host)) return 0;
  int core = rests_for(host, pg_wake_in(&host->core));
  int http = pg_http_wake_in(&host->http);
  return http >= 0 && http < core ? http : core;
}

int pg_host_is_well(struct pg_host *host) {
  int state = pg_get(&host->core, PG_STATE);
  int rests = state == PG_STATE_SIGNED_OUT || state == PG_STATE_SIGNED_IN;
  return host->ok && (pg_driver_got_response(&host->driver) || rests);
}

void pg_host_key(struct pg_host *host, enum pg_key key) {
  static void (*const events[])(struct pg_core *core) = {pg_sign_in, pg_cancel, pg_sign_out};
  if (host->ok) host->ok = pg_driver_happen(&host->driver, events[key]);
}

int pg_host_letter(struct pg_host *host, int letter) {
  static const char letters[] = {'s', 'c', 'o'};
  for (int key = PG_KEY_SIGN_IN; key <= PG_KEY_SIGN_OUT; key++) {
    if (letter != letters[key]) continue;
    pg_host_key(host, (enum pg_key)key);
    return 1;
  }
  return 0;
}

int pg_host_call(struct pg_host *host, int endpoint, const char *target) {
  int is_sent = 0;
  /* Pass the elapsed time first, so that it does not shorten a wait that the call starts. */
  if (host->ok) host->ok = pg_driver_run(&host->driver);
  if (host->ok) is_sent = pg_call_resource(&host->core, endpoint, target);
  if (host->ok) host->ok = pg_driver_run(&host->driver);
  /* Without this, report_changes would take the end of this call for that of the previous call. */
  if (is_sent) host->call = PG_CALL_STATE_IDLE;
  return host->ok && is_sent;
}

int pg_host_needs_sign_in(const struct pg_host *host) {
  return pg_driver_needs_sign_in(&host->driver);
}

void pg_host_take_http(struct pg_host *host) {
#ifdef PG_KEYS
  if (host->parts->signer) {
    pg_http_open(&host->http, &host->http_settings, &pg_keys_sink, &host->keys);
    return;
  }
#endif
  pg_http_open(&host->http, &host->http_settings, &pg_driver_sink, &host->driver);
}

void pg_host_close(struct pg_host *host) {
  const struct pg_host_parts *parts = host->parts;
  if (!parts) return;
  pg_http_close(&host->http);
  pg_core_close(&host->core);
#ifdef PG_KEYS
  pg_wipe(&host->keys, sizeof host->keys);
#endif
  pg_wipe(parts->memory, (size_t)parts->settings->memory_bytes);
  host->parts = NULL;
  host->ok = 0;
}
