/* What a device needs to know (settings.h): here as a maker writes it down who has no device.json. */
#include "settings.h"

static struct pg_settings settings;

int main(void) {
  settings.client_id = "tv";
  settings.client_secret = "";
  settings.scope = "email";
  settings.device_parameters = settings.token_parameters = "";
  settings.messages = settings.reasons = "";
  settings.server = "";
  settings.user_agent = "tv/1.0";
  settings.grant_headers = settings.resource_headers = "";
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) settings.addresses[i] = "";
  settings.addresses[PG_ENDPOINT_DEVICE_AUTHORIZATION] = "https://auth.example.com/device";
  settings.addresses[PG_ENDPOINT_TOKEN] = "https://auth.example.com/token";
  settings.columns = 16;
  settings.rows = 2;
  settings.memory_bytes = 4096;
  settings.connect_seconds = 10;
  settings.exchange_seconds = 30;
  settings.answer_bytes = 65536;
  settings.auto_start = 1;
  settings.client_authentication = PG_CLIENT_AUTHENTICATION_NONE;
  return settings.memory_bytes > PG_MEMORY_MAX;
}
