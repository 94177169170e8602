/* Simultaneous connections on Linux (posix.h). Sends requests to each of several servers repeatedly, with a connection
 * for each server. One loop, which sleeps in pg_wait, handles all connections. Each response must come from the right
 * server. Usage: two-connections ROUNDS ADDRESS... Output for each server: `responded N failed N reason R body` with
 * the last body; then `most at once N`. The exit code is 1 if all this takes more than ten seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "picogrant-port.h"
#include "posix.h"

enum { SERVERS = PG_NETWORK_MAX, BODY = 64, TIMEOUT_MS = 10000 };

struct client {
  const char *address;
  struct pg_connection connection;
  struct pg_http_settings settings;
  struct pg_http http;
  int left; /* number of rounds that are left */
  int responded;
  int failed;
  char body[BODY];
  size_t body_size;
};

static void take_status(void *context, int status, int retry_after_s) {
  struct client *client = context;
  (void)status;
  (void)retry_after_s;
  client->body_size = 0;
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  struct client *client = context;
  for (size_t i = 0; i < size && client->body_size + 1 < BODY; i++) {
    client->body[client->body_size++] = (char)bytes[i];
  }
  client->body[client->body_size] = 0;
}

static void take_end(void *context) {
  struct client *client = context;
  client->responded++;
}

static void take_failure(void *context) {
  struct client *client = context;
  client->failed++;
}

static void open_client(struct client *client, struct pg_network *network, const char *address, int rounds) {
  static const struct pg_http_sink sink = {take_status, take_body, take_end, take_failure, NULL};
  if (!pg_connection_open(network, &client->connection)) abort();
  client->address = address;
  client->left = rounds;
  client->settings = (struct pg_http_settings){.user_agent = "two-connections",
                                               .connection = &client->connection,
                                               .connect_seconds = 5,
                                               .exchange_seconds = 5,
                                               .response_bytes = 4096,
                                               .allowed = {&client->address, 1, 0}};
  pg_http_open(&client->http, &client->settings, &sink, client);
}

/* Advances the exchange, or starts the next one. Returns 0 if the client has sent all its requests. */
static int work(struct client *client) {
  const struct pg_http_request request = {.is_get = 1, .address = client->address, .target = (const uint8_t *)""};
  pg_http_work(&client->http);
  if (pg_http_wake_in(&client->http) >= 0) return 1;
  if (client->left == 0) return 0;
  client->left--;
  if (!pg_http_send(&client->http, &request)) client->failed++;
  return 1;
}

int main(int count, char **words) {
  static struct pg_network network;
  static struct client clients[SERVERS];
  int servers = count - 2;
  int most = 0;
  int busy = 1;
  if (servers < 1 || servers > SERVERS || pg_network_open(&network)) return 2;
  for (int i = 0; i < servers; i++) open_client(&clients[i], &network, words[2 + i], atoi(words[1]));
  uint32_t start = pg_clock_ms();
  while (busy > 0) {
    busy = 0;
    for (int i = 0; i < servers; i++) busy += work(&clients[i]);
    if (busy > most) most = busy;
    if (pg_clock_ms() - start > TIMEOUT_MS) return 1;
    if (busy > 0) pg_wait(&network, 1000, NULL, 0);
  }
  for (int i = 0; i < servers; i++) {
    const struct client *client = &clients[i];
    printf("responded %d failed %d reason %d %s\n", client->responded, client->failed, pg_http_reason(&client->http),
           client->body);
  }
  printf("most at once %d\n", most);
  pg_network_close(&network);
  return 0;
}
