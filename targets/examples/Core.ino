// The core in an Arduino sketch. It prints its frames on the serial console. Each request fails here, so the display shows
// "No connection". Send requests with your network library, and report the responses to the core (picogrant.h, SEND).
#include <picogrant.h>

static pg_core core;
static uint8_t memory[6144];
static unsigned long then;

static void show() {
  for (int row = 0; row < 4; row++) {
    Serial.write(memory + pg_start(&core, PG_REGION_FRAME) + 20 * row, 20);
    Serial.println();
  }
}

void setup() {
  pg_core_config config = {};
  config.client_id = "public-printer";
  config.server = "https://login.example.com";
  config.columns = 20;
  config.rows = 4;
  config.auto_start = 1;
  config.seed = (int)random(67108864);
  Serial.begin(115200);
  if (pg_core_open(&core, memory, sizeof memory, &config) != PG_OPEN_OK) for (;;) delay(1000);
  then = millis();
}

void loop() {
  unsigned long now = millis();
  int command = pg_tick(&core, (int)(now - then));
  then = now;
  if (command == PG_COMMAND_SHOW) show();
  if (command == PG_COMMAND_LOAD) pg_storage_done(&core, 0);
  if (command == PG_COMMAND_STORE || command == PG_COMMAND_ERASE) pg_storage_done(&core, 0);
  if (command == PG_COMMAND_SEND) pg_response_failed(&core, pg_get(&core, PG_REQUEST_ID));
  if (command == PG_COMMAND_NONE) delay(pg_wake_in(&core) < 100 ? (unsigned long)pg_wake_in(&core) : 100);
}
