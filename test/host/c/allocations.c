/* Runs the core with scripted responses. Counts the engine's allocations, which must be 0 during a grant with many
 * polls, and measures the stack depth. Usage: allocations [LIMIT [POLLS]]. Output: lines `name count`. The exit code is
 * 1 if the grant does not complete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "picogrant.h"

enum { COLUMNS = 20, ROWS = 4, MEMORY = 4096, POLLS = 200 };

/* The number of authorization_pending responses before the tokens. */
static int pending = POLLS;

static struct pg_core core;
static uint8_t memory[MEMORY];
static uint8_t slots[2][MEMORY];
static size_t lengths[2];
static int polls;
static int granted;

static struct pg_core_config config = {.client_id = "client",
                                             .client_secret = "secret",
                                             .scope = "email",
                                             .device_parameters = "",
                                             .token_parameters = "",
                                             .server = "",
                                             .columns = COLUMNS,
                                             .rows = ROWS,
                                             .seed = 12345,
                                             .auto_start = 1,
                                             .renewals_max = 3};

static void response(int status, const char *body) {
  int id = pg_get(&core, PG_REQUEST_ID);
  pg_response_start(&core, id, status, -1);
  pg_response_body(&core, id, (const uint8_t *)body, strlen(body));
  pg_response_end(&core, id);
}

static void serve(void) {
  if (pg_get(&core, PG_ENDPOINT) == PG_ENDPOINT_DEVICE_AUTHORIZATION) {
    response(200, "{\"device_code\":\"d\",\"user_code\":\"ABCD-EFGH\",\"verification_url\":"
                "\"https://example.test/device\",\"expires_in\":1800,\"interval\":5}");
  } else if (pg_get(&core, PG_ENDPOINT) == PG_ENDPOINT_REVOCATION) {
    response(200, "{}");
  } else if (granted++ < pending) {
    polls++;
    response(428, "{\"error\":\"authorization_pending\",\"error_description\":\"Precondition\"}");
  } else {
    response(200, "{\"access_token\":\"a\",\"refresh_token\":\"r\",\"expires_in\":3600,"
                "\"scope\":\"email\",\"token_type\":\"Bearer\"}");
  }
}

static void carry_out(int command) {
  int slot = pg_get(&core, PG_SLOT);
  uint8_t *data = memory + pg_get(&core, PG_DATA);
  if (command == PG_COMMAND_SEND) serve();
  if (command == PG_COMMAND_LOAD) {
    memcpy(data, slots[slot], lengths[slot]);
    pg_storage_done(&core, (int)lengths[slot]);
  } else if (command == PG_COMMAND_STORE) {
    lengths[slot] = (size_t)pg_get(&core, PG_DATA_LENGTH);
    memcpy(slots[slot], data, lengths[slot]);
    pg_storage_done(&core, 1);
  } else if (command == PG_COMMAND_ERASE) {
    lengths[slot] = 0;
    pg_storage_done(&core, 1);
  }
}

/* Ticks every second until the device is in `state`. Returns 0 if it is not in that state after 4000 s. */
static int run_until(int state) {
  for (int seconds = 0; seconds < 4000; seconds++) {
    int command = pg_tick(&core, seconds ? 1000 : 0);
    while (command != PG_COMMAND_NONE) {
      carry_out(command);
      command = pg_tick(&core, 0);
    }
    (void)pg_wake_in(&core);
    if (pg_core_broken(&core)) return 0;
    if (pg_get(&core, PG_STATE) == state) return 1;
  }
  return 0;
}

static int whole_run(void) {
  if (!run_until(PG_STATE_SIGNED_IN)) return 0;
  pg_set_status(&core, "Ready");
  pg_tick(&core, 0);
  pg_sign_out(&core);
  if (!run_until(PG_STATE_SIGNED_OUT)) return 0;
  pg_sign_in(&core);
  granted = pending;
  return run_until(PG_STATE_SIGNED_IN);
}

/* The core runs on this stack. It is filled with a pattern first, to measure how much of it the core uses. */
static uint8_t stack[1 << 19];
static ucontext_t starter;
static ucontext_t runner;
static int has_run;

static void run_all(void) {
  enum pg_open_result opened = pg_core_open(&core, memory, sizeof memory, &config);
  if (opened != PG_OPEN_OK) printf("refused %d\n", opened);
#ifdef PG_HAS_ENGINE
  unsigned long open = core.heap.calls;
#endif
  has_run = opened == PG_OPEN_OK && whole_run();
#ifdef PG_HAS_ENGINE
  const struct pg_heap *heap = &core.heap;
  printf("open %lu\nlife %lu\nused %zu\npeak %zu\ncore %zu\ncreating %zu\n", open, heap->calls - open, heap->used,
         heap->peak, heap->core, heap->peak - heap->engine);
#endif
  pg_core_close(&core);
}

int main(int count, char **arguments) {
#ifdef PG_HAS_ENGINE
  const struct pg_engine engine = {.heap_limit = count > 1 ? strtoul(arguments[1], NULL, 10) : 10000000};
  config.engine = &engine;
#endif
  if (count > 2) pending = atoi(arguments[2]);
  memset(stack, 0xa5, sizeof stack);
  getcontext(&runner);
  runner.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
  runner.uc_link = &starter;
  makecontext(&runner, run_all, 0);
  swapcontext(&starter, &runner);
  size_t left = 0;
  while (left < sizeof stack && stack[left] == 0xa5) left++;
  printf("polls %d\nstack %zu\n", polls, sizeof stack - left);
#ifdef PG_HAS_ENGINE
  printf("left %zu\n", core.heap.blocks);
#endif
  return !has_run;
}
