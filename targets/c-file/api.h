/* Generated from the sources in core/: the device, and functions that hosts on an engine lack. Do not edit it. */
#ifndef PICOGRANT_CORE_H
#define PICOGRANT_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "picogrant-numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pg_core_config;
struct pg_core;

/* enums */

/* The kind of a request other than those of the grant (core/device/memory.ts, CallKind). */
struct pg_call_kind {
  int32_t names;
  int32_t depth;
  int32_t values;
  void (*scan)(struct pg_core *device, int32_t c);
  int32_t (*take)(struct pg_core *device);
  bool is_any_body;
};

/* The number of regions in the largest build. (C++20 warns if the sum has only two enums.) */
enum { PG_REGIONS_MAX = 0 + PG_LITERAL_END_COMPLETE + PG_MESSAGE_COUNT };

/* A device. The core owns its members from pg_core_open to pg_core_close. Read them only with pg_get and the like. */
struct pg_core {
/* device */
};

/* Returns the first member of a configuration that is missing or out of range, or PG_CONFIG_MEMBER_NONE. */
enum pg_config_member pg_config_error(const struct pg_core_config *config);

/* The body that the application has passed for the current request (PG_CALL_BODY_FROM, PG_CALL_BODY_TO), or NULL. */
const uint8_t *pg_call_body(const struct pg_core *core);

/* A smaller build does not define all of these functions. A program that calls a missing one cannot be linked. */

/* calls */

#ifdef __cplusplus
}
#endif

#endif
