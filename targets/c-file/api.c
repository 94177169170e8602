/* SPDX-License-Identifier: MIT */
/*
 * picogrant VERSION, the core in C99, for firmware without a JavaScript engine. Generated from the sources in core/, with
 * their comments. Read and debug it, but do not edit it. picogrant.h is its API.
 *
 *   cc -Os -DPICOGRANT_BUILD=PICOGRANT_GRANT -c picogrant.c
 *
 * PICOGRANT_COMPLETE has everything, and is the default; PICOGRANT_API lacks subscription offers and security events, and
 * PICOGRANT_GRANT has the sign-in alone. The core allocates nothing, has no variables of its own, and calls no library,
 * except for functions that compilers insert, such as memcpy.
 * Public names begin with pg_, PG_ or PICOGRANT_; pgc_ and PGC_ are names of this file.
 */
#include "picogrant.h"

#include <stdbool.h>

#if PICOGRANT_VERSION_NUMBER != RELEASE
#error "picogrant.c is of release RELEASE, and picogrant.h of another: take both from one release"
#endif

#define PICOGRANT_GRANT 1
#define PICOGRANT_API 2
#define PICOGRANT_COMPLETE 3
#ifndef PICOGRANT_BUILD
#define PICOGRANT_BUILD PICOGRANT_COMPLETE
#endif
#if PICOGRANT_BUILD < PICOGRANT_GRANT || PICOGRANT_BUILD > PICOGRANT_COMPLETE
#error "PICOGRANT_BUILD is none of PICOGRANT_GRANT, PICOGRANT_API and PICOGRANT_COMPLETE"
#endif

/* core */

/* Texts are UTF-8 with a final 0. */

static int32_t pgc_text_length(const char *text) {
  int32_t length = 0;
  while (text[length]) length++;
  return length;
}

static const char *pgc_text_or_else(const char *text, const char *otherwise) { return *text ? text : otherwise; }

static int32_t pgc_or_else(int32_t value, int32_t otherwise) { return value ? value : otherwise; }

/* core/device/config.ts also checks that a number is an integer. In C, its type ensures this. */
static bool pgc_is_within(int32_t value, int32_t least, int32_t most) { return value >= least && value <= most; }

static bool pgc_is_optional(int32_t value, int32_t most) { return pgc_is_within(value, 0, most); }

/* An omitted member is 0, and selects the default spread. Otherwise a whole fleet could start at once. */
static int32_t pgc_start_spread_of(const struct pg_core_config *config) {
  if (config->start_spread_ms == 0) return PG_START_SPREAD_MS;
  return config->start_spread_ms == PG_START_AT_ONCE ? 0 : config->start_spread_ms;
}

/* Clamps a length or capacity. OUTPUT may exceed the range in a large memory, or if the configuration does not fit. */
static int16_t pgc_to_int16(int32_t value) {
  int32_t most = value > INT16_MAX ? INT16_MAX : value;
  return (int16_t)(most < INT16_MIN ? INT16_MIN : most);
}

/* The build of the grant alone has no calls, so the compiler removes the code for them. */
static const struct pg_call_kind *pgc_call_of(const struct pg_core *device) {
#if PICOGRANT_BUILD == PICOGRANT_GRANT
  (void)device;
  return NULL;
#else
  return device->call;
#endif
}

/* core/text/unicode.ts: in C, texts are UTF-8, and so have no surrogate pairs. */
static void pgc_write_text(struct pg_core *device, const char *text, int32_t encoding) {
  for (; *text; text++) pgc_write_encoded(device, (uint8_t)*text, encoding);
  pgc_set_length(device, PG_FIELD_NONE, 0);
}

/* Literals and default display texts, one per line. */
static const uint8_t pgc_constants[] = PGC_LITERALS
#if PICOGRANT_BUILD >= PICOGRANT_API
    PGC_REQUEST_LITERALS
#endif
#if PICOGRANT_BUILD >= PICOGRANT_COMPLETE
    PGC_DOCUMENT_LITERALS
#endif
    PGC_MESSAGES;

/* core/device/memory.ts: in C, the literals are in a constant table and not in the device's memory. */
static const uint8_t *pgc_literal_bytes(struct pg_core *device) {
  (void)device;
  return pgc_constants;
}

static const uint8_t *pgc_bytes_of(struct pg_core *device, int32_t region) {
  if (region < PG_REGION_COUNT) return device->memory;
  return region < device->messages ? pgc_constants : device->texts;
}

/* core/loop/create.ts: copies the configuration's display texts. In UTF-8, U+0001..U+00FF have one or two bytes. */
static void pgc_place_texts(struct pg_core *device, const char *extra, const char *messages) {
  int32_t region = PG_REGION_COUNT;
  int32_t start = 0;
  (void)extra;
  for (int32_t at = 0; at < (int32_t)sizeof pgc_constants; at++) {
    if (pgc_constants[at] > '\n') continue;
    pgc_place_constant(device, region++, start, at - start);
    start = at + 1;
  }
  device->texts = *messages ? device->memory : pgc_constants;
  region = device->messages;
  start = device->write_at;
  for (; *messages; messages++) {
    int32_t c = (uint8_t)*messages;
    if (c > 127 && messages[1]) c = ((c & 3) << 6) | (*++messages & 63);
    if (c != '\n') pgc_write_byte(device, c);
    else if (region < device->messages + PGC_MESSAGE_COUNT - 1) {
      region++;
      start = device->write_at;
    }
    pgc_place_constant(device, region, start, device->write_at - start);
  }
}
/* functions */

static const char *pgc_given(const char *text) { return text ? text : ""; }

static struct pg_core_config pgc_filled_in(const struct pg_core_config *config) {
  struct pg_core_config whole = *config;
  whole.client_secret = pgc_given(whole.client_secret);
  whole.scope = pgc_given(whole.scope);
  whole.device_parameters = pgc_given(whole.device_parameters);
  whole.token_parameters = pgc_given(whole.token_parameters);
  whole.messages = pgc_given(whole.messages);
  whole.former_server = pgc_given(whole.former_server);
  return whole;
}

enum pg_config_member pg_config_error(const struct pg_core_config *config) {
  struct pg_core_config whole = pgc_filled_in(config);
  return (enum pg_config_member)pgc_config_error(&whole);
}

enum pg_open_result pg_core_open(struct pg_core *core, uint8_t *memory, size_t size,
                                 const struct pg_core_config *config) {
  struct pg_core_config whole = pgc_filled_in(config);
  *core = (struct pg_core){.memory = memory, .memory_size = size > UINT16_MAX ? UINT16_MAX : (int32_t)size};
  if (pgc_config_error(&whole)) return PG_OPEN_INVALID_CONFIG;
  if (pgc_create(core, memory, &whole)) return PG_OPEN_OK;
  pgc_note_need(core, PGC_LIMIT_OUTPUT_MIN - pg_capacity(core, PG_REGION_OUTPUT));
  return PG_OPEN_SMALL_MEMORY;
}

void pg_core_close(struct pg_core *core) { *core = (struct pg_core){.memory = NULL}; }

int pg_core_broken(const struct pg_core *core) {
  (void)core;
  return 0;
}

void pg_set_status(struct pg_core *core, const char *text) {
  const char *given = pgc_given(text);
  pgc_set_status(core, (const uint8_t *)given, 0, pgc_text_length(given));
}

void pg_response_challenge(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size) {
#if PICOGRANT_BUILD == PICOGRANT_GRANT
  (void)core, (void)request_id, (void)bytes, (void)size;
#else
  pgc_response_challenge(core, request_id, bytes, 0, (int32_t)size);
#endif
}

int pg_call_resource(struct pg_core *core, int endpoint, const char *target) {
#if PICOGRANT_BUILD == PICOGRANT_GRANT
  (void)core, (void)endpoint, (void)target;
  return 0;
#else
  if (!pgc_begin_call(core)) return 0;
  pgc_add_path(core, (const uint8_t *)target, 0, pgc_text_length(target));
  return pgc_send_call(core, endpoint, 1, NULL, 0, 0);
#endif
}

const uint8_t *pg_call_body(const struct pg_core *core) { return core->call_body; }

/* The position of each integer property in the struct, in integers. Other properties have 0, the place of a pointer. */
#define PGC_PLACE(name) (offsetof(struct pg_core, name) / sizeof(int32_t))
static const uint8_t pgc_places[] = {
/* properties */
};

int pg_get(const struct pg_core *core, enum pg_property property) {
  const int32_t *integers = (const void *)core;
  uint8_t place = (size_t)property < sizeof pgc_places ? pgc_places[property] : 0;
  return place ? integers[place] : 0;
}

static bool pgc_is_region(int region) { return region >= 0 && region < PG_REGION_COUNT; }

int pg_start(const struct pg_core *core, int region) { return pgc_is_region(region) ? core->start[region] : 0; }

int pg_length(const struct pg_core *core, int region) { return pgc_is_region(region) ? core->length[region] : 0; }

int pg_capacity(const struct pg_core *core, int region) { return pgc_is_region(region) ? core->capacity[region] : -1; }
/* calls */
