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

/* What a request beyond the grant is for (core/device/memory.ts, CallKind). */
struct pg_call_kind {
  int32_t names;
  int32_t depth;
  int32_t values;
  void (*scan)(struct pg_core *device, int32_t c);
  int32_t (*take)(struct pg_core *device);
  bool is_any_body;
};

/* Regions of the largest build, with literals and display texts. (C++20 warns of a sum of two enums alone.) */
enum { PG_REGIONS_MAX = 0 + PG_LITERAL_END_COMPLETE + PG_MESSAGE_COUNT };

/* A device. Its members are the core's from pg_core_open to pg_core_close, and may change: read them through pg_get. */
struct pg_core {
/* device */
};

/* The first member of a configuration that is missing or out of range; PG_CONFIG_MEMBER_NONE: none is. */
enum pg_config_member pg_config_error(const struct pg_core_config *config);

/* The body that the application has lent for the request under way (PG_CALL_BODY_FROM, PG_CALL_BODY_TO); NULL: none. */
const uint8_t *pg_call_body(const struct pg_core *core);

/* Builds that lack a function do not link with it. */

/* calls */

#ifdef __cplusplus
}
#endif

#endif
