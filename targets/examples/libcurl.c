/*
 * A device in C out of two files, picogrant.c and picogrant.h, and libcurl (7.85 or newer): a console, records in two files.
 *   cc -D_GNU_SOURCE -I dist libcurl.c dist/picogrant.c -lcurl -o device
 *   S=http://127.0.0.1:8080 ID=public-printer SCOPE=openid CODE=$S/device/code TOKEN=$S/token REVOKE=$S/revoke ./device
 * API is an address that wants the token, CA a file of authorities, STATE a folder for the records. Keys are lines: s sign in,
 * c cancel, o sign out, a ask the API, q quit; they wait for a request that is under way, 100 s at the most.
 */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "picogrant.h"

enum { COLUMNS = 20, ROWS = 4, MEMORY = 6144, ADDRESS = 2048 };

static struct pg_core core;
static char memory[MEMORY];
static CURL *curl;
static int request_id;

static const char *setting(const char *name) { return getenv(name) ? getenv(name) : ""; }

/* Addresses by PG_ENDPOINT_*, and files by PG_SLOT. */
static const char *const addresses[] = {"CODE", "TOKEN", "REVOKE", "", "", "API"};
static const char *const files[] = {"record.0", "record.1"};

/* A line of the head; an empty one ends it, or one of those before it (RFC 9110 section 15.2). */
static size_t take_line(char *line, size_t one, size_t size, void *unused) {
  long status = 0;
  curl_off_t seconds = 0;
  (void)unused;
  if (curl_strnequal(line, "www-authenticate:", 17)) {
    pg_response_challenge(&core, request_id, (const uint8_t *)line + 17, size * one - 17);
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  /* The core's integers have 27 bits. libcurl says 0 where there is no Retry-After. */
  if (seconds <= 0 || seconds > 134217727) seconds = seconds <= 0 ? -1 : 134217727;
  if (*line == '\r' && status >= 200) pg_response_start(&core, request_id, status > 599 ? 500 : (int)status, (int)seconds);
  return size * one;
}

/* Handed on as it comes: nothing of it is kept, however long it is. */
static size_t take_body(char *bytes, size_t one, size_t size, void *unused) {
  (void)unused;
  pg_response_body(&core, request_id, (const uint8_t *)bytes, size * one);
  return size * one;
}

/* Whether the request that the core wants has got a whole answer. */
static int request(void) {
  char address[ADDRESS], token[MEMORY];
  const char *base = setting(addresses[pg_get(&core, PG_ENDPOINT)]);
  /* Plain http stays on this machine: anybody on the way could read it. */
  int is_own = curl_strnequal(base, "http://127.0.0.1:", 17) || curl_strnequal(base, "http://localhost:", 17);
  struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json");
  request_id = pg_get(&core, PG_REQUEST_ID);
  snprintf(address, ADDRESS, "%s%.*s", base, pg_get(&core, PG_TARGET_LENGTH), memory + pg_get(&core, PG_TARGET));
  if (pg_get(&core, PG_AUTHORIZATION) == PG_AUTHORIZATION_BEARER) {
    snprintf(token, MEMORY, "Authorization: Bearer %.*s", pg_length(&core, PG_FIELD_ACCESS_TOKEN),
             memory + pg_start(&core, PG_FIELD_ACCESS_TOKEN));
    headers = curl_slist_append(headers, token);
  }
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, address);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_line);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  /* Every coding that libcurl decodes: a server may use one without being asked (RFC 9110 section 12.5.3). */
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, is_own ? "http" : "https");
  curl_easy_setopt(curl, CURLOPT_NOPROXY, is_own ? "*" : NULL);
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (*setting("CA")) curl_easy_setopt(curl, CURLOPT_CAINFO, setting("CA"));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 100L);
  /* On a connection that was kept and turns out to be closed libcurl would send the request a second time. */
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)pg_get(&core, PG_BODY_LENGTH));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, memory + pg_get(&core, PG_BODY));
  if (pg_get(&core, PG_IS_GET)) curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
  CURLcode result = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  return result == CURLE_OK;
}

/* Durable when it says so. A record that is torn is none to the core, which has the other one; one of no bytes as well. */
static int store(const char *name, const char *bytes, size_t size) {
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int is_stored = file >= 0 && write(file, bytes, size) == (ssize_t)size && fsync(file) == 0;
  close(file);
  return is_stored;
}

static int load(const char *name, char *bytes, size_t size) {
  int file = open(name, O_RDONLY);
  int length = file >= 0 ? (int)read(file, bytes, size) : errno == ENOENT ? 0 : -1;
  close(file);
  return length;
}

/* Lets the time pass, and does what the core asks for until it has nothing more. */
static void run(void) {
  static struct timespec now;
  for (int command = -1; command != PG_COMMAND_NONE;) {
    struct timespec before = now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    long ms = before.tv_sec ? (now.tv_sec - before.tv_sec) * 1000 + (now.tv_nsec - before.tv_nsec) / 1000000 : 0;
    command = pg_tick(&core, ms > 100000000 ? 100000000 : (int)ms);
    char *data = memory + pg_get(&core, PG_DATA);
    size_t size = (size_t)pg_get(&core, PG_DATA_LENGTH);
    const char *frame = memory + pg_start(&core, PG_REGION_FRAME), *file = files[pg_get(&core, PG_SLOT)];
    if (command == PG_COMMAND_LOAD) pg_storage_done(&core, load(file, data, size));
    if (command == PG_COMMAND_STORE) pg_storage_done(&core, store(file, data, size));
    if (command == PG_COMMAND_ERASE) pg_storage_done(&core, store(file, data, 0));
    for (int row = 0; command == PG_COMMAND_SHOW && row < ROWS; row++) printf("|%.*s|\n", COLUMNS, frame + row * COLUMNS);
    fflush(stdout);
    if (command != PG_COMMAND_SEND) continue;
    void (*report)(struct pg_core *, int) = request() ? pg_response_end : pg_response_failed;
    int id = request_id;
    run();
    report(&core, id);
  }
}

int main(void) {
  struct pg_core_config config = {.client_id = setting("ID"), .client_secret = setting("SECRET"), .scope = setting("SCOPE"),
                                  .device_parameters = "", .token_parameters = "", .server = setting("TOKEN"),
                                  .client_authentication = PG_CLIENT_AUTHENTICATION_CLIENT_SECRET_POST,
                                  .columns = COLUMNS, .rows = ROWS, .auto_start = 1, .renewals_max = 3};
  struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
  int endpoints = 0;
  /* A closed pipe, and a file beyond the limit of its size, are errors of write(). */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  if (*setting("STATE") && chdir(setting("STATE"))) return 1;
  if (getentropy(&config.seed, sizeof config.seed) || !(curl = curl_easy_init())) return 1;
  config.seed &= 67108863;
  if (pg_core_open(&core, (uint8_t *)memory, MEMORY, &config) != PG_OPEN_OK) return 2;
  for (int i = 0; i <= PG_ENDPOINT_RESOURCE; i++) endpoints |= *setting(addresses[i]) ? 1 << i : 0;
  pg_set_endpoints(&core, endpoints);
  for (char key = 0; key != 'q';) {
    run();
    if (poll(&keys, 1, pg_wake_in(&core)) < 1) continue;
    if (read(keys.fd, &key, 1) < 1) keys.fd = key = -1;
    run();
    if (key == 's') pg_sign_in(&core);
    if (key == 'c') pg_cancel(&core);
    if (key == 'o') pg_sign_out(&core);
    if (key == 'a') pg_call_resource(&core, PG_ENDPOINT_RESOURCE, "");
  }
  pg_core_close(&core);
}
