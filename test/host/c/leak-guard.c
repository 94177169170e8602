/*
 * Sends requests over a connection that only records them. Each input line is a request. Its words are in hexadecimal
 * ("-": empty), except numbers, which are decimal. Spaces separate the words:
 *
 *   endpoint allowed allow_http authorization address target secret
 *
 * After the word `look`, a line is a direct call of the leak guard:
 *
 *   look endpoint allowed allow_http authorization secure host port authority
 *
 * `allowed` is the configured address of the endpoint. All other endpoints have https://other.example. Output: `-` for
 * a refusal; otherwise `sent SECURE HOST PORT REQUEST` for a request, and `may` for a direct call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "picogrant-numbers.h"
#include "picogrant-port.h"

enum { LINE = 65536, WORDS = 9, ENDPOINTS = PG_ENDPOINT_RESOURCE + 1 };

static struct pg_peer peer;
static char host[1024];
static char sent[LINE];
static size_t sent_size;

uint32_t pg_clock_ms(void) { return 0; }
uint32_t pg_clock_wall_s(void) { return 1000000000; }

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *to, const void *trust) {
  (void)connection;
  (void)trust;
  peer = *to;
  if (to->host_size >= sizeof host) abort();
  memcpy(host, to->host, to->host_size);
  return 1;
}
enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  (void)connection;
  return PG_CONNECTION_OPEN;
}
int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  (void)connection;
  if (size > sizeof sent - sent_size) abort();
  memcpy(sent + sent_size, bytes, size);
  sent_size += size;
  return (int)size;
}
int pg_connection_flush(struct pg_connection *connection) {
  (void)connection;
  return 1;
}
int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  (void)connection;
  (void)bytes;
  return PG_CONNECTION_NOTHING;
}
int pg_connection_reason(struct pg_connection *connection) {
  (void)connection;
  return 0;
}
void pg_connection_end(struct pg_connection *connection) { (void)connection; }

static void print_hex(const char *bytes, size_t size) {
  putchar(' ');
  if (size == 0) putchar('-');
  for (size_t i = 0; i < size; i++) printf("%02x", (unsigned)(unsigned char)bytes[i]);
}

static char *words[WORDS];
static size_t sizes[WORDS];

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static int take_words(char *line) {
  int count = 0;
  for (char *word = strtok(line, " \n"); word && count < WORDS; word = strtok(NULL, " \n")) {
    words[count] = word;
    sizes[count++] = strlen(word);
  }
  return count;
}

static void decode(int at) {
  char *word = words[at];
  size_t size = strcmp(word, "-") == 0 ? 0 : sizes[at] / 2;
  for (size_t i = 0; i < size; i++) word[i] = (char)(digit(word[2 * i]) * 16 + digit(word[2 * i + 1]));
  word[size] = 0;
  sizes[at] = size;
}

static const char *addresses[ENDPOINTS];

static struct pg_allowed allowed_of(int at) {
  int endpoint = atoi(words[at]);
  for (int i = 0; i < ENDPOINTS; i++) addresses[i] = "https://other.example";
  if (endpoint >= 0 && endpoint < ENDPOINTS) addresses[endpoint] = words[at + 1];
  return (struct pg_allowed){addresses, ENDPOINTS, atoi(words[at + 2])};
}

static struct pg_http_request request_of(int at) {
  const char *authorization = words[at + 3];
  return (struct pg_http_request){
      .is_get = 1,
      .endpoint = atoi(words[at]),
      .authorization = *authorization ? authorization : NULL,
      .credentials = (const uint8_t *)"token",
      .credentials_size = 5,
      .target = (const uint8_t *)"",
  };
}

static void send_one(void) {
  for (int at = 1; at < 7; at++) {
    if (at != 2) decode(at);
  }
  const struct pg_http_sink sink = {NULL, NULL, NULL, NULL, NULL};
  const struct pg_http_settings settings = {"t", NULL, NULL, 5, 30, 300, allowed_of(0), NULL, 0};
  const struct pg_secret secret = {(const uint8_t *)words[6], sizes[6]};
  struct pg_http_request request = request_of(0);
  request.address = words[4];
  request.target = (const uint8_t *)words[5];
  request.target_size = sizes[5];
  request.secrets = &secret;
  request.secret_count = sizes[6] > 0;
  sent_size = 0;
  struct pg_http http = {0};
  pg_http_open(&http, &settings, &sink, NULL);
  if (!pg_http_send(&http, &request)) {
    puts("-");
    return;
  }
  pg_http_work(&http);
  printf("sent %d", peer.is_secure);
  print_hex(host, peer.host_size);
  printf(" %d", (int)peer.port);
  print_hex(sent, sent_size);
  putchar('\n');
  pg_http_close(&http);
}

static void look_at_one(void) {
  for (int at = 2; at < 9; at++) {
    if (at == 2 || at == 4 || at == 6 || at == 8) decode(at);
  }
  const struct pg_allowed allowed = allowed_of(1);
  const struct pg_http_request request = request_of(1);
  const struct pg_address address = {
      .peer = {words[6], sizes[6], (uint16_t)atoi(words[7]), atoi(words[5])},
      .authority = words[8],
      .authority_size = sizes[8],
      .path = "",
  };
  puts(pg_leak_guard(&request, &address, &allowed) ? "may" : "-");
}

int main(void) {
  static char line[LINE];
  while (fgets(line, sizeof line, stdin)) {
    int count = take_words(line);
    if (count == 9 && strcmp(words[0], "look") == 0) look_at_one();
    else if (count == 7) send_one();
    else return 1;
  }
  return 0;
}
