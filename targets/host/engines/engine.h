/*
 * What an engine's file brings, so that picogrant.c can make picogrant.h of it: start and end, calls with small
 * integers, and reading of integer properties. Everything that a call needs is taken out of the core when it is
 * opened, so that nothing is looked up by name, or allocated, later.
 */
#ifndef PICOGRANT_ENGINE_H
#define PICOGRANT_ENGINE_H

#include "picogrant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The core's functions that the border calls. Those from PG_FUNCTION_BEGIN_CALL on the grant alone has not. */
enum pg_function {
  PG_FUNCTION_TICK,
  PG_FUNCTION_WAKE_IN,
  PG_FUNCTION_RESPONSE_START,
  PG_FUNCTION_RESPONSE_BODY,
  PG_FUNCTION_RESPONSE_END,
  PG_FUNCTION_RESPONSE_FAILED,
  PG_FUNCTION_STORAGE_DONE,
  PG_FUNCTION_SIGN_IN,
  PG_FUNCTION_CANCEL,
  PG_FUNCTION_SIGN_OUT,
  PG_FUNCTION_SET_STATUS,
  PG_FUNCTION_BEGIN_CALL,
  PG_FUNCTION_ADD_PATH,
  PG_FUNCTION_SEND_CALL,
  PG_FUNCTION_COUNT
};

/* Their names in the core's API. */
extern const char *const pg_function_names[PG_FUNCTION_COUNT];

/* One member of the core's configuration: a text, or a number where `text` is NULL. */
struct pg_config_member {
  const char *name;
  const char *text;
  int number;
};

enum { PG_CONFIG_MEMBERS = 16 };

/* The configuration as the members of the object that the core's `create` takes. */
void pg_config_members(const struct pg_core_config *config,
                       struct pg_config_member members[PG_CONFIG_MEMBERS]);

/* Arguments of a call that are no integers of the core's: outside its range. */
enum { PG_ARGUMENT_TRANSFER = 0x40000000, PG_ARGUMENT_NULL };

enum { PG_ARGUMENTS_MAX = 6 };

/*
 * As pg_core_open and pg_core_close, of a core that is zeros. The engine takes all it needs from `core->heap`, and sets
 * its limit; what it keeps hangs on `core->engine`, NULL where nothing has to be closed. `core->transfer` is the array
 * that PG_ARGUMENT_TRANSFER stands for. Where it throws it sets `core->threw`.
 */
enum pg_open_result pg_engine_open(struct pg_core *core, const uint8_t *code, size_t code_size,
                                   uint8_t *memory, size_t size, const struct pg_core_config *config,
                                   size_t heap_limit);
void pg_engine_close(struct pg_core *core);

/* Calls a function with the device and `count` further arguments. The integer that it returns, or else 0. */
int pg_engine_call(struct pg_core *core, enum pg_function function, int count, const int *arguments);

/* Whether the core has a function. */
int pg_engine_has(struct pg_core *core, enum pg_function function);

/* An integer of the device, which is an array, and an element of its arrays PG_START and PG_LENGTH. */
int pg_engine_property(struct pg_core *core, enum pg_property property);
int pg_engine_start(struct pg_core *core, int region);
int pg_engine_length(struct pg_core *core, int region);

#ifdef __cplusplus
}
#endif

#endif
