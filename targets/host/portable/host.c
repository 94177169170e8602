/* The portable host. Contract in host.h. */
#include "host.h"

#include "clock.h"
#include "driver.h"
#include "history.h"
#include "http.h"
#include "wipe.h"

static struct {
  const struct pg_host *own;
  struct pg_http_settings http;
  int moves;
  int call;
  int ok;
} host;

/* 26 bits, for jitter only. */
static int random_seed(void) {
  uint8_t bytes[4] = {0};
  if (!pg_random(bytes, sizeof bytes)) return 0;
  return (int)((uint32_t)(bytes[0] & 3) << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
               bytes[3]);
}

/* Room for an address of device.json, and its end. */
enum { NAME_SIZE = 257 };

struct server_names {
  char whole[NAME_SIZE];
  char origin[NAME_SIZE];
  const char *server;
  const char *former;
};

/* What tells a server from others: its issuer, or the whole address of its token endpoint, since tenants may share an
 * origin (with the host in lower case). Older programs took the origin: what they have kept counts once. */
static void name_server(const struct pg_settings *settings, struct server_names *names) {
  const char *address = settings->addresses[PG_ENDPOINT_TOKEN];
  int slashes = 0;
  size_t at = 0;
  size_t origin_size = 0;
  names->former = "";
  names->server = settings->server;
  if (*settings->server) return;
  for (; address[at] && at + 1 < NAME_SIZE; at++) {
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
  /* One that is longer is named as it stands. */
  names->server = address[at] ? address : names->whole;
}

/* `asks`: the core asks for a code challenge each time, since the server may want one (code-challenge.h). */
static enum pg_open_result open_core(const struct pg_host *own, int asks) {
  const struct pg_settings *settings = own->settings;
  static struct server_names names;
  name_server(settings, &names);
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
      .pkce = asks,
      .client_authentication = settings->client_authentication,
      .server = names.server,
      .former_server = names.former,
  };
  return pg_core_open(own->code, own->code_size, own->memory, (size_t)settings->memory_bytes, &config,
                      own->heap_limit);
}

/* What the room for a code challenge takes, in steps of the regions' shares. */
enum { CHALLENGE_BYTES = 160 };

/* Whether there was room for it. */
static int has_challenge;

int pg_host_memory_needed(void) {
  int needed = pg_get(PG_MEMORY_NEEDED);
  return needed > 0 && !has_challenge ? needed + CHALLENGE_BYTES : needed;
}

enum pg_open_result pg_host_open(const struct pg_host *own) {
  const struct pg_settings *settings = own->settings;
  enum pg_open_result result = open_core(own, 1);
  has_challenge = result != PG_OPEN_SMALL_MEMORY;
  /* Nobody has asked for one, and the room is wanted for what is needed. */
  if (!has_challenge && !settings->pkce) result = open_core(own, 0);
  if (result != PG_OPEN_OK) return result;
  host.own = own;
  host.http = (struct pg_http_settings){
      settings->user_agent,
      own->trust,
      settings->connect_seconds,
      settings->exchange_seconds,
      (uint32_t)settings->answer_bytes,
      {settings->addresses, PG_ADDRESS_COUNT, settings->allow_http},
  };
  host.moves = -1;
  host.call = 0;
  host.ok = 1;
  pg_history_open();
  pg_http_open(&host.http, &pg_driver_sink);
  pg_driver_start(settings, own->memory, own->medium, own->body, own->challenge);
  return PG_OPEN_OK;
}

const char *pg_host_problem(enum pg_open_result result) {
  switch (result) {
    case PG_OPEN_OK:
      return "";
    case PG_OPEN_SMALL_MEMORY:
      return "too few bytes of memory for the configuration, or a setting is out of range";
    case PG_OPEN_NO_HEAP:
      return "too little heap for the engine and the core";
    default:
      /* Some engines throw where the heap is full, as they do for code that is not theirs. */
      return "not the core's, or of another version of the engine; or too little heap";
  }
}

static void report(enum pg_report what, int a, int b) {
  if (host.own->report) host.own->report(what, a, b);
}

/* Reports what has changed: the state, and a call that has come to its end. */
static void report_changes(void) {
  int moves = pg_get(PG_MOVES);
  int call = pg_get(PG_CALL_STATE);
  if (moves != host.moves) {
    pg_history_note(PG_HAPPENED_STATE, pg_get(PG_STATE), 0, pg_get(PG_ERROR));
    report(PG_REPORT_STATE, pg_get(PG_STATE), pg_get(PG_ERROR));
  }
  if (call != host.call && call == PG_CALL_STATE_DONE) {
    report(PG_REPORT_CALL, pg_get(PG_CALL_STATUS), pg_get(PG_CALL_ERROR));
  }
  host.moves = moves;
  host.call = call;
}

int pg_host_step(void) {
  if (!host.ok) return 0;
  pg_http_work();
  host.ok = pg_driver_run() && !pg_core_broken();
  if (host.ok) report_changes();
  else report(PG_REPORT_BROKEN, 0, 0);
  return host.ok;
}

/* While a code is shown, the core asks to be woken for each change of the display. A poll is never late. */
static int rests_for(int core_ms) {
  int calm_ms = host.own->countdown_ms;
  if (core_ms == 0 || calm_ms <= core_ms || pg_http_wake_in() >= 0) return core_ms;
  if (pg_get(PG_STATE) != PG_STATE_PENDING || !pg_get(PG_CODE_SHOWN)) return core_ms;
  int wait_ms = pg_get(PG_WAIT_MS);
  if (wait_ms < calm_ms) calm_ms = wait_ms;
  return calm_ms > core_ms ? calm_ms : core_ms;
}

/* A call that was over as soon as it had begun is reported by the next step. */
static int has_to_report(void) {
  return host.call != PG_CALL_STATE_DONE && pg_get(PG_CALL_STATE) == PG_CALL_STATE_DONE;
}

int pg_host_wake_in(void) {
  if (has_to_report()) return 0;
  int core = rests_for(pg_wake_in());
  int http = pg_http_wake_in();
  return http >= 0 && http < core ? http : core;
}

int pg_host_is_well(void) {
  int state = pg_get(PG_STATE);
  int rests = state == PG_STATE_SIGNED_OUT || state == PG_STATE_SIGNED_IN;
  return host.ok && (pg_driver_was_answered() || rests);
}

void pg_host_key(enum pg_key key) {
  static void (*const events[])(void) = {pg_sign_in, pg_cancel, pg_sign_out};
  if (host.ok) host.ok = pg_driver_happen(events[key]);
}

int pg_host_letter(int letter) {
  static const char letters[] = {'s', 'c', 'o'};
  for (int key = PG_KEY_SIGN_IN; key <= PG_KEY_SIGN_OUT; key++) {
    if (letter != letters[key]) continue;
    pg_host_key((enum pg_key)key);
    return 1;
  }
  return 0;
}

static struct {
  int endpoint;
  const char *target;
  int is_sent;
} call;

static void begin_call(void) { call.is_sent = pg_call_resource(call.endpoint, call.target); }

int pg_host_call(int endpoint, const char *target) {
  call.endpoint = endpoint;
  call.target = target;
  call.is_sent = 0;
  if (host.ok) host.ok = pg_driver_happen(begin_call);
  /* The one before it was over, too: that must not look as if nothing had happened. */
  if (call.is_sent) host.call = PG_CALL_STATE_IDLE;
  return host.ok && call.is_sent;
}

int pg_host_wants_sign_in(void) { return pg_driver_wants_sign_in(); }

void pg_host_take_http(void) { pg_http_open(&host.http, &pg_driver_sink); }

void pg_host_close(void) {
  pg_http_close();
  pg_core_close();
  if (host.own) pg_wipe(host.own->memory, (size_t)host.own->settings->memory_bytes);
  host.own = NULL;
  host.ok = 0;
}
