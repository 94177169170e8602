/*
 * picogrant's core in C99: made from the sources in core/, whose names and comments it has, for firmware without an
 * engine. To be read and debugged; not to be edited. picogrant.h is its border.
 *
 *   cc -Os -DPICOGRANT_BUILD=PICOGRANT_GRANT -c picogrant.c
 *
 * PICOGRANT_COMPLETE has everything, and is the default; PICOGRANT_API is without what is the two documents' own, and
 * PICOGRANT_GRANT the sign-in alone. It allocates nothing, has no variables of its own, and calls no library.
 */
#include "picogrant.h"

#include <stdbool.h>

#if PG_VERSION_NUMBER != RELEASE
#error "picogrant.c is of release RELEASE, and picogrant.h of another: take both from one release"
#endif

#define PICOGRANT_GRANT 1
#define PICOGRANT_API 2
#define PICOGRANT_COMPLETE 3
#ifndef PICOGRANT_BUILD
#define PICOGRANT_BUILD PICOGRANT_COMPLETE
#endif

/* What the sources say of a number of the configuration that is left out: in C none is. */
#define UNDEFINED INT32_MIN

/* core */

/* The core speaks of texts as JavaScript has them: here they are UTF-8, and end with 0. */

static int32_t textLength(const char *text) {
  int32_t length = 0;
  while (text[length]) length++;
  return length;
}

/* `text || otherwise` */
static const char *textOrElse(const char *text, const char *otherwise) { return *text ? text : otherwise; }

/* `value || otherwise` */
static int32_t orElse(int32_t value, int32_t otherwise) { return value ? value : otherwise; }

/* What is out of range is so of a device that is refused. */
static int16_t toInt16(int32_t value) {
  if (value < INT16_MIN) return INT16_MIN;
  return value > INT16_MAX ? INT16_MAX : (int16_t)value;
}

/* The grant alone makes no calls: the compiler leaves out what is about them. */
static const struct pg_call_kind *callOf(const struct pg_core *device) {
#if PICOGRANT_BUILD == PICOGRANT_GRANT
  (void)device;
  return NULL;
#else
  return device->call;
#endif
}

/* core/text/form-encoder.ts: a text is UTF-8 already, and no character waits for its other half. */
static void writeText(struct pg_core *device, const char *text, int32_t encoding) {
  for (; *text; text++) writeEncoded(device, (uint8_t)*text, encoding);
  setLength(device, PG_FIELD_NONE, 0);
}

/* Literals and default display texts, a line each. */
static const uint8_t constants[] = LITERALS
#if PICOGRANT_BUILD >= PICOGRANT_API
    REQUEST_LITERALS
#endif
#if PICOGRANT_BUILD >= PICOGRANT_COMPLETE
    DOCUMENT_LITERALS
#endif
    MESSAGES;

/* core/device/memory.ts */
static const uint8_t *literalBytes(struct pg_core *device) {
  (void)device;
  return constants;
}

static const uint8_t *bytesOf(struct pg_core *device, int32_t region) {
  if (region < PG_REGION_COUNT) return device->memory;
  return region < device->messages ? constants : device->texts;
}

/*
 * core/loop/create.ts: a display text of the configuration is copied; its characters are U+0001..U+00FF, so one or two
 * bytes.
 */
static void placeTexts(struct pg_core *device, const char *extra, const char *messages) {
  int32_t region = PG_REGION_COUNT;
  int32_t start = 0;
  (void)extra;
  for (int32_t at = 0; at < (int32_t)sizeof constants; at++) {
    if (constants[at] > 10) continue;
    placeConstant(device, region++, start, at - start);
    start = at + 1;
  }
  device->texts = *messages ? device->memory : constants;
  region = device->messages;
  start = device->writeAt;
  for (; *messages; messages++) {
    int32_t c = (uint8_t)*messages;
    if (c > 127 && messages[1]) c = ((c & 3) << 6) | (*++messages & 63);
    if (c != 10) writeByte(device, c);
    else if (region < device->messages + Message_COUNT - 1) {
      region++;
      start = device->writeAt;
    }
    placeConstant(device, region, start, device->writeAt - start);
  }
}
/* functions */

// The border.

/* Texts that may be left out are empty. */
static struct pg_core_config filledIn(const struct pg_core_config *config) {
  struct pg_core_config whole = *config;
  if (!whole.messages) whole.messages = "";
  if (!whole.former_server) whole.former_server = "";
  return whole;
}

enum pg_config_member pg_config_error(const struct pg_core_config *config) {
  struct pg_core_config whole = filledIn(config);
  return (enum pg_config_member)configError(&whole);
}

enum pg_open_result pg_core_open(struct pg_core *core, uint8_t *memory, size_t size,
                                 const struct pg_core_config *config) {
  struct pg_core_config whole = filledIn(config);
  *core = (struct pg_core){.memory = memory, .memorySize = size > UINT16_MAX ? UINT16_MAX : (int32_t)size};
  if (configError(&whole)) return PG_OPEN_INVALID_CONFIG;
  return create(core, memory, &whole) ? PG_OPEN_OK : PG_OPEN_SMALL_MEMORY;
}

void pg_core_close(struct pg_core *core) { *core = (struct pg_core){.memory = NULL}; }

int pg_core_broken(struct pg_core *core) {
  (void)core;
  return 0;
}

void pg_set_status(struct pg_core *core, const char *text) {
  setStatus(core, (const uint8_t *)text, 0, textLength(text));
}

#if PICOGRANT_BUILD == PICOGRANT_GRANT
void pg_response_challenge(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size) {
  (void)core;
  (void)request_id;
  (void)bytes;
  (void)size;
}

int pg_call_resource(struct pg_core *core, int endpoint, const char *target) {
  (void)core;
  (void)endpoint;
  (void)target;
  return 0;
}
#else
void pg_response_challenge(struct pg_core *core, int request_id, const uint8_t *bytes, size_t size) {
  responseChallenge(core, request_id, bytes, 0, (int32_t)size);
}

int pg_call_resource(struct pg_core *core, int endpoint, const char *target) {
  if (!beginCall(core)) return 0;
  addPath(core, (const uint8_t *)target, 0, textLength(target));
  return sendCall(core, endpoint, 1, NULL, 0, 0);
}
#endif

const uint8_t *pg_call_body(const struct pg_core *core) { return core->callBody; }

int pg_get(struct pg_core *core, enum pg_property property) {
  switch (property) {
/* properties */
    default:
      return 0;
  }
}

static bool isRegion(int region) { return region >= 0 && region < PG_REGION_COUNT; }

int pg_start(struct pg_core *core, int region) { return isRegion(region) ? core->start[region] : 0; }

int pg_length(struct pg_core *core, int region) { return isRegion(region) ? core->length[region] : 0; }

int pg_capacity(struct pg_core *core, int region) { return isRegion(region) ? core->capacity[region] : -1; }
/* calls */
