/* The border to the engine (picogrant.h), without host.h: two devices, each asked for its first command. */
#include "picogrant.h"

#include "core-code.h"

enum { MEMORY_BYTES = 4096 };

static struct pg_core cores[2];
static uint8_t memories[2][MEMORY_BYTES];

int main(void) {
  static struct pg_core_config config;
  config.client_id = "tv";
  config.client_secret = config.scope = config.device_parameters = config.token_parameters = "";
  config.messages = "";
  config.server = "https://auth.example.com";
  config.columns = 16;
  config.rows = 2;
  for (int i = 0; i < 2; i++) {
    enum pg_open_result result = pg_core_open(&cores[i], pg_core_code, pg_core_code_size, memories[i], MEMORY_BYTES,
                                              &config, pg_heap_default);
    if (result != PG_OPEN_OK) return 1;
  }
  /* Each begins with what it has kept. */
  for (int i = 0; i < 2; i++) {
    if (pg_tick(&cores[i], 0) != PG_COMMAND_LOAD || pg_core_broken(&cores[i])) return 2;
  }
  /* One goes, the other stays. */
  pg_core_close(&cores[0]);
  pg_storage_done(&cores[1], 0);
  if (pg_tick(&cores[1], 0) == PG_COMMAND_NONE) return 3;
  pg_core_close(&cores[1]);
  return cores[0].heap.blocks + cores[1].heap.blocks == 0 ? 0 : 4;
}
