/* Fuzzes the core API of picogrant.c. An input is a configuration and a sequence of calls. Ranges of bytes are valid,
 * as the contract requires. All other numbers may be any integer. */
#include <limits.h>
#include <string.h>

#include "bound.h"
#include "picogrant.h"

enum { MEMORY_BYTES = 6144 };

static const char *const bodies[] = {
    "{\"device_code\":\"dc\",\"user_code\":\"ABCD-EFGH\",\"verification_uri\":\"https://a.test/d\",\"expires_in\":600}",
    "{\"access_token\":\"at\",\"refresh_token\":\"rt\",\"expires_in\":60,\"token_type\":\"Bearer\"}",
    "{\"error\":\"authorization_pending\"}",
    "{\"error\":\"invalid_grant\"}",
    "{\"sets\":{\"a\":\"e.eyJqdGkiOiIxIn0.s\"}}",
};

static const uint8_t *next, *end;

static uint8_t take(void) { return next < end ? *next++ : 0; }

/* Returns any integer, often one at the end of its range. */
static int number(void) {
  static const int edges[] = {INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX, 1 << 27, -(1 << 27), 599, 1000, 3600};
  uint8_t selector = take();
  if (selector < sizeof edges / sizeof *edges) return edges[selector];
  if (selector < 128) return selector;
  uint32_t bits = 0;
  for (int i = 0; i < 4; i++) bits = bits << 8 | take();
  return (int)bits;
}

/* Returns a size from the next byte of the input, at most the number of remaining bytes. */
static size_t rest(void) {
  size_t size = take();
  return size < (size_t)(end - next) ? size : (size_t)(end - next);
}

static void check_regions(const struct pg_core *core) {
  for (int region = -1; region < PG_REGION_COUNT + 1; region++) {
    int start = pg_start(core, region), length = pg_length(core, region);
    check(length < 0 || (start >= 0 && start + length <= MEMORY_BYTES), "regions lie in the memory");
  }
}

/* Reports a whole response with any status and Retry-After. Its request id is the current one, or any integer. */
static void respond(struct pg_core *core) {
  int id = take() & 1 ? pg_get(core, PG_REQUEST_ID) : number();
  int status = take() & 3 ? 200 : number();
  const char *body = bodies[take() % (sizeof bodies / sizeof *bodies)];
  (void)pg_response_start(core, id, status, number());
  pg_response_body(core, id, (const uint8_t *)body, strlen(body));
  pg_response_end(core, id);
}

static void do_one(struct pg_core *core) {
  size_t size = 0;
  switch (take() % 26) {
    case 0: (void)pg_tick(core, number()); break;
    case 1: (void)pg_wake_in(core); break;
    case 2: respond(core); break;
    case 3: (void)pg_response_start(core, number(), number(), number()); break;
    case 4: pg_response_body(core, pg_get(core, PG_REQUEST_ID), next, size = rest()); break;
    case 5: pg_response_end(core, number()); break;
    case 6: pg_response_failed(core, pg_get(core, PG_REQUEST_ID)); break;
    case 7: pg_storage_done(core, number()); break;
    case 8: pg_storage_done(core, 1); break;
    case 9: pg_sign_in(core); break;
    case 10: pg_cancel(core); break;
    case 11: pg_sign_out(core); break;
    case 12: pg_set_status(core, take() & 1 ? "ready" : NULL); break;
    case 13: pg_set_endpoints(core, number()); break;
    case 14: (void)pg_call_resource(core, number(), "/v1/things?x=1"); break;
    case 15: (void)pg_get(core, (enum pg_property)number()); break;
    case 16: (void)pg_capacity(core, number()); break;
    case 17: (void)pg_error_kind(core, number()); break;
    case 18: (void)pg_outcome(core); break;
    case 19: pg_access_token_refused(core); break;
    case 20: (void)pg_poll_events(core); break;
    case 21: pg_event_verified(core, number(), number()); break;
    case 22: (void)pg_apply_security_event(core, next, size = rest()); break;
    case 23: (void)pg_begin_call(core), pg_add_segment(core, next, size = rest()); break;
    case 24: (void)pg_send_call(core, number(), number(), NULL, 0); break;
    default: pg_response_challenge(core, pg_get(core, PG_REQUEST_ID), next, size = rest());
  }
  next += size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static uint8_t memory[MEMORY_BYTES];
  struct pg_core core = {0};
  next = bytes;
  end = bytes + size;
  const struct pg_core_config config = {
      .client_id = "tv", .server = "https://a.test", .columns = 20, .rows = 4,
      .seed = number(), .auto_start = take() & 1, .renewals_max = number(), .start_spread_ms = number(),
      .pkce = number(), .json_bodies = number(), .client_authentication = number(),
  };
  if (pg_core_open(&core, memory, sizeof memory, &config) != PG_OPEN_OK) return 0;
  while (next < end) {
    do_one(&core);
    check_regions(&core);
    int ms = pg_wake_in(&core);
    check(ms >= 0 && ms <= 134217727, "a device wakes up within the range");
  }
  pg_core_close(&core);
  return 0;
}
