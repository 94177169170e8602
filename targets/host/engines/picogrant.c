/*
 * Implements the core API of picogrant.h on any engine (engine.h). Calls have integer arguments, and bytes pass through
 * one array.
 */
#include <string.h>

#include "core-code.h"
#include "engine.h"
#include "picogrant-port.h"

static const char *text_of(const char *text) { return text ? text : ""; }

enum pg_open_result pg_core_open(struct pg_core *core, uint8_t *memory, size_t size, const struct pg_core_config *config) {
  static const struct pg_engine zeros;
  const struct pg_engine *engine = config->engine ? config->engine : &zeros;
  const uint8_t *code = engine->code ? engine->code : pg_core_code;
  size_t code_size = engine->code ? engine->code_size : pg_core_code_size;
  size_t heap_limit = engine->heap_limit ? engine->heap_limit : pg_heap_default;
  int spread_ms = config->start_spread_ms ? config->start_spread_ms : PG_START_SPREAD_MS;
  const struct pg_config_member members[PG_CONFIG_MEMBERS] = {
      {"clientId", config->client_id, 0},
      {"clientSecret", text_of(config->client_secret), 0},
      {"clientAuthentication", NULL, config->client_authentication},
      {"server", config->server, 0},
      {"formerServer", text_of(config->former_server), 0},
      {"scope", text_of(config->scope), 0},
      {"deviceParameters", text_of(config->device_parameters), 0},
      {"tokenParameters", text_of(config->token_parameters), 0},
      {"columns", NULL, config->columns},
      {"rows", NULL, config->rows},
      {"seed", NULL, config->seed},
      {"autoStart", NULL, config->auto_start},
      {"renewalsMax", NULL, config->renewals_max},
      {"startSpreadMs", NULL, spread_ms == PG_START_AT_ONCE ? 0 : spread_ms},
      {"pkce", NULL, config->pkce},
      {"jsonBodies", NULL, config->json_bodies},
      {"messages", text_of(config->messages), 0},
  };
  struct pg_opening opening = {core, engine->context, code, code_size, memory, size, heap_limit, members};
  *core = (struct pg_core){.is_guest = engine->context != NULL};
  enum pg_open_result result = pg_engine_open(&opening);
  /* If its heap is full, an engine throws, as it does for invalid code. */
  if (result == PG_OPEN_INVALID_CODE && core->heap.refused) result = PG_OPEN_NO_HEAP;
  if (core->parts) core->release = pg_engine_element(core, PG_PART_RELEASE, 0);
  if (core->parts && core->release != PICOGRANT_VERSION_NUMBER) result = PG_OPEN_OTHER_RELEASE;
  if (result != PG_OPEN_OK) pg_core_close(core);
  else core->heap.core = core->heap.used - core->heap.engine;
  return result;
}

void pg_core_close(struct pg_core *core) {
  if (core->engine) pg_engine_close(core);
  core->engine = core->parts = NULL;
  pg_wipe(core->transfer, sizeof core->transfer);
}

int pg_core_broken(const struct pg_core *core) { return core->threw; }

static int call_0(struct pg_core *core, enum pg_function function) {
  return pg_engine_call(core, function, 0, NULL);
}

static int call_1(struct pg_core *core, enum pg_function function, int a) {
  return pg_engine_call(core, function, 1, &a);
}

/* Copies as many bytes as fit into the transfer array. */
static int transfer(struct pg_core *core, const void *bytes, size_t size) {
  if (size > sizeof core->transfer) size = sizeof core->transfer;
  memcpy(core->transfer, bytes, size);
  return (int)size;
}

int pg_tick(struct pg_core *core, int elapsed_ms) {
  return call_1(core, PG_FUNCTION_TICK, elapsed_ms);
}

int pg_wake_in(struct pg_core *core) { return call_0(core, PG_FUNCTION_WAKE_IN); }

int pg_response_start(struct pg_core *core, int request_id, int status, int retry_after_s) {
  const int arguments[] = {request_id, status, retry_after_s};
  return pg_engine_call(core, PG_FUNCTION_RESPONSE_START, 3, arguments);
}

/* Passes bytes of a response in pieces. */
static void response_with(struct pg_core *core, enum pg_function function, int request_id, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    int taken = transfer(core, bytes, size);
    const int arguments[] = {request_id, PG_ARGUMENT_TRANSFER, 0, taken};
    pg_engine_call(core, function, 4, arguments);
    bytes += taken;
    size -= (size_t)taken;
  }
  /* A response may contain tokens. */
  pg_wipe(core->transfer, sizeof core->transfer);
}

void pg_set_endpoints(struct pg_core *core, int endpoints) {
  call_1(core, PG_FUNCTION_SET_ENDPOINTS, endpoints);
}

void pg_response_challenge(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size) {
  response_with(core, PG_FUNCTION_RESPONSE_CHALLENGE, request_id, bytes, size);
}

void pg_response_body(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size) {
  response_with(core, PG_FUNCTION_RESPONSE_BODY, request_id, bytes, size);
}

void pg_response_end(struct pg_core *core, int request_id) {
  call_1(core, PG_FUNCTION_RESPONSE_END, request_id);
}

void pg_response_failed(struct pg_core *core, int request_id) {
  call_1(core, PG_FUNCTION_RESPONSE_FAILED, request_id);
}

void pg_storage_done(struct pg_core *core, int result) {
  call_1(core, PG_FUNCTION_STORAGE_DONE, result);
}

void pg_sign_in(struct pg_core *core) { call_0(core, PG_FUNCTION_SIGN_IN); }

void pg_cancel(struct pg_core *core) { call_0(core, PG_FUNCTION_CANCEL); }

void pg_sign_out(struct pg_core *core) { call_0(core, PG_FUNCTION_SIGN_OUT); }

static int call_with_text(struct pg_core *core, enum pg_function function, const char *text) {
  const int arguments[] = {PG_ARGUMENT_TRANSFER, 0, transfer(core, text, strlen(text))};
  return pg_engine_call(core, function, 3, arguments);
}

void pg_set_status(struct pg_core *core, const char *text) {
  call_with_text(core, PG_FUNCTION_SET_STATUS, text_of(text));
}

int pg_call_resource(struct pg_core *core, int endpoint, const char *target) {
  const int arguments[] = {endpoint, 1, PG_ARGUMENT_TRANSFER, 0, 0};
  /* In the build of the grant alone there are no calls, and the result is 0. */
  if (strlen(target) > sizeof core->transfer || !call_0(core, PG_FUNCTION_BEGIN_CALL)) return 0;
  call_with_text(core, PG_FUNCTION_ADD_PATH, target);
  return pg_engine_call(core, PG_FUNCTION_SEND_CALL, 5, arguments);
}

int pg_get(const struct pg_core *core, enum pg_property property) {
  return core->engine ? pg_engine_element(core, PG_PART_DEVICE, (int)property) : 0;
}

int pg_start(const struct pg_core *core, int region) {
  return pg_engine_element(core, PG_PART_START, region);
}

int pg_length(const struct pg_core *core, int region) {
  return pg_engine_element(core, PG_PART_LENGTH, region);
}

int pg_capacity(const struct pg_core *core, int region) {
  return pg_engine_element(core, PG_PART_CAPACITY, region);
}
