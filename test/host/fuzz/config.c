/* Fuzzes the reader of device.json. What it accepts must keep to settings.h and lie within its buffers. */
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "bound.h"
#include "config.h"

enum { CAPACITY = 400 };

/* A text of the settings. Where it does not end within the buffer that it lies in the sanitizer says so. */
static void check_text(const char *value, size_t most) {
  size_t size = strlen(value);
  check(size <= most, "texts are as long as they may be");
  for (size_t i = 0; i < size; i++) check(value[i] >= 32 && value[i] <= 126, "texts can be printed");
}

static void check_settings(const struct pg_settings *settings) {
  check_text(settings->client_id, 256);
  check_text(settings->client_secret, 256);
  check_text(settings->scope, 512);
  check_text(settings->device_parameters, CAPACITY);
  check_text(settings->token_parameters, CAPACITY);
  check_text(settings->server, 256);
  check_text(settings->user_agent, 256);
  check(*settings->client_id && *settings->scope, "what is needed is there");
  check_numbers(settings);
}

static void check_addresses(const struct pg_settings *settings) {
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) {
    struct pg_address address;
    const char *value = settings->addresses[i];
    if (!*value) continue;
    check_text(value, 256);
    check(pg_address_split(value, &address), "addresses are safe ones");
    check(address.peer.is_secure || pg_address_is_own(&address), "addresses are safe ones");
    check(address.peer.port > 0 && address.peer.host_size > 0, "addresses are safe ones");
  }
  check(*settings->addresses[PG_ENDPOINT_TOKEN] != 0, "what is needed is there");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  struct pg_config config;
  char *parameters = malloc(CAPACITY);
  /* Exactly as long as it is: nothing may be read or written behind it. */
  char *copy = malloc(size ? size : 1);
  memcpy(copy, bytes, size);
  const char *why = pg_config_read(&config, copy, size, parameters, CAPACITY);
  if (why) {
    check(strlen(why) > 0 && strlen(why) < 256, "what is wrong has words");
  } else {
    check_settings(&config.settings);
    check_addresses(&config.settings);
    check_text(config.directory, 1024);
    check_text(config.certificates, 1024);
  }
  free(copy);
  free(parameters);
  return 0;
}
