/* Reads a device.json (config.h). The text stays: what is read lies in it. */
#include "config.h"

#include <string.h>

int main(void) {
  static struct pg_config config;
  static char room[256];
  static char text[] =
      "{\"clientId\":\"tv\",\"scope\":\"email\",\"endpoints\":{"
      "\"deviceAuthorization\":\"https://auth.example.com/device\",\"token\":\"https://auth.example.com/token\"}}";
  static char mistaken[] = "{\"clientId\":7}";
  const char *why = pg_config_read(&config, text, sizeof text - 1, room, sizeof room);
  if (why) return 1;
  if (strcmp(config.settings.client_id, "tv") != 0 || config.settings.columns != 20) return 2;
  why = pg_config_read(&config, mistaken, sizeof mistaken - 1, room, sizeof room);
  return why && strcmp(why, "clientId is not a text") == 0 ? 0 : 3;
}
