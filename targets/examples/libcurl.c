/*
 * A device in C on a console, with records in two files, from picogrant.c, picogrant.h and libcurl (7.85 or newer).
 *         cc -D_GNU_SOURCE -I dist libcurl.c dist/picogrant.c -lcurl -o device
 * Settings are environment variables:
 *         S=http://127.0.0.1:8080 ID=public-printer SCOPE=openid CODE=$S/device/code TOKEN=$S/token REVOKE=$S/revoke
 * API is an address that requires the token, CA a file of certificate authorities, STATE a folder for the records.
 * SPREAD_MS=-1 starts at once; without SPREAD_MS, the device starts within five seconds. Keys are lines: s sign in, c
 * cancel, o sign out, a call the API, q quit. The device handles a key after the current request, which takes at most
 * 100 s. For a program that does not block, see targets/host.
 */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "picogrant.h"

enum { COLUMNS = 20, ROWS = 4, MEMORY = 6144 };

static struct pg_core core;
static char memory[MEMORY];

static const char *setting(const char *name) { return getenv(name) ? getenv(name) : ""; }

/* The environment variables of the addresses, by PG_ENDPOINT_*. The files of the records, by PG_SLOT. */
static const char *const addresses[] = {"CODE", "TOKEN", "REVOKE", "", "", "API"};
static const char *const files[] = {"record.0", "record.1"};

/* Carries out PG_COMMAND_SEND. Returns after the end of the request, so PG_COMMAND_ABORT has nothing to do. */
static void send_request(void);

/* Returns 1 for plain http to this machine. To other machines, it is not allowed: others could read the tokens. */
static int is_own(const char *address) {
  return strncmp(address, "http://127.0.0.1:", 17) == 0 || strncmp(address, "http://localhost:", 17) == 0;
}

/* Returns 1 if all bytes are written and flushed to the medium. The core detects an incomplete record, and uses the one
 * in the other slot. */
static int store(const char *name, const char *bytes, size_t size) {
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int is_stored = file >= 0 && write(file, bytes, size) == (ssize_t)size && fsync(file) == 0;
  return file >= 0 && close(file) == 0 && is_stored;
}

static int load(const char *name, char *bytes, size_t size) {
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? 0 : -1;
  int length = (int)read(file, bytes, size);
  close(file);
  return length;
}

/* Passes the elapsed time to the core, and carries out its commands until there are none. */
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
    if (fflush(stdout)) perror("the display");
    if (command == PG_COMMAND_SEND) send_request();
  }
}

/* Opens the device. Returns 0, or the exit code after printing the reason on standard error. */
static int open_device(void) {
  struct pg_core_config config = {.client_id = setting("ID"), .client_secret = setting("SECRET"), .scope = setting("SCOPE"),
                                  .server = setting("TOKEN"), .client_authentication = PG_CLIENT_AUTHENTICATION_CLIENT_SECRET_POST,
                                  .columns = COLUMNS, .rows = ROWS, .auto_start = 1, .renewals_max = 3,
                                  .start_spread_ms = atoi(setting("SPREAD_MS"))};
  int endpoints = 0;
  /* Turns signals into errors of write(): for a closed pipe, and beyond the file size limit. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  if ((*setting("STATE") && chdir(setting("STATE"))) || getentropy(&config.seed, sizeof config.seed)) {
    perror("STATE, or the random source");
    return 1;
  }
  config.seed &= 67108863;
  int result = pg_core_open(&core, (uint8_t *)memory, MEMORY, &config);
  if (result != PG_OPEN_OK) fprintf(stderr, "pg_core_open: %d, pg_config_error: %d\n", result, pg_config_error(&config));
  if (result != PG_OPEN_OK) return 2;
  for (int i = 0; i <= PG_ENDPOINT_RESOURCE; i++) endpoints |= *setting(addresses[i]) ? 1 << i : 0;
  pg_set_endpoints(&core, endpoints);
  return 0;
}

/* Sets `keys` to -1 at the end of the input. Returns 0 for q. */
static int press_key(int *keys) {
  char key = 0;
  if (read(*keys, &key, 1) < 1) *keys = -1;
  if (key == 's') pg_sign_in(&core);
  if (key == 'c') pg_cancel(&core);
  if (key == 'o') pg_sign_out(&core);
  if (key == 'a' && !pg_call_resource(&core, PG_ENDPOINT_RESOURCE, "")) fputs("the API cannot be called now\n", stderr);
  return key != 'q';
}

static CURL *curl;
static int request_id;
static int is_for_api;
static CURLcode setup;

/* Receives a line of the response head. An empty line ends the head, which may be that of an interim response (RFC 9110
 * section 15.2). */
static size_t take_line(char *line, size_t one, size_t size, void *unused) {
  long status = 0;
  curl_off_t seconds = 0;
  (void)unused;
  if (curl_strnequal(line, "www-authenticate:", 17)) {
    pg_response_challenge(&core, request_id, (const uint8_t *)line + 17, size * one - 17);
  }
  if (curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK) return 0;
  if (curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK) return 0;
  /* The largest integer of the core is 134217727. Without a Retry-After, libcurl returns 0. */
  if (seconds <= 0 || seconds > 134217727) seconds = seconds <= 0 ? -1 : 134217727;
  if (*line == '\r' && status >= 200) {
    is_for_api = pg_response_start(&core, request_id, status > 599 ? 500 : (int)status, (int)seconds);
  }
  return size * one;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *unused) {
  (void)unused;
  pg_response_body(&core, request_id, (const uint8_t *)bytes, size * one);
  /* The application gets the API's response. Here it is printed on standard error. */
  if (is_for_api && fwrite(bytes, one, size, stderr) < size) return 0;
  return size * one;
}

/* libcurl may refuse an option if memory is short, or if it was built without the feature. */
#define SET(option, value) (setup = setup ? setup : curl_easy_setopt(curl, option, value))

/* Sends the core's request. Returns whether a complete response has arrived. */
static int perform(void) {
  char address[2048], token[MEMORY];
  const char *base = setting(addresses[pg_get(&core, PG_ENDPOINT)]);
  struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json"), *both = headers;
  int size = snprintf(address, sizeof address, "%s%.*s", base, pg_get(&core, PG_TARGET_LENGTH), memory + pg_get(&core, PG_TARGET));
  if (pg_get(&core, PG_AUTHORIZATION) == PG_AUTHORIZATION_BEARER) {
    snprintf(token, MEMORY, "Authorization: Bearer %.*s", pg_length(&core, PG_FIELD_ACCESS_TOKEN),
             memory + pg_start(&core, PG_FIELD_ACCESS_TOKEN));
    both = headers ? curl_slist_append(headers, token) : NULL;
  }
  setup = both && size < (int)sizeof address ? CURLE_OK : CURLE_OUT_OF_MEMORY;
  curl_easy_reset(curl);
  SET(CURLOPT_URL, address);
  SET(CURLOPT_HTTPHEADER, headers);
  SET(CURLOPT_HEADERFUNCTION, take_line);
  SET(CURLOPT_WRITEFUNCTION, take_body);
  /* Accept every content coding that libcurl can decode, because a server may use one that was not requested (RFC 9110
   * section 12.5.3). */
  SET(CURLOPT_ACCEPT_ENCODING, "");
  SET(CURLOPT_PROTOCOLS_STR, is_own(base) ? "http" : "https");
  SET(CURLOPT_NOPROXY, is_own(base) ? "*" : NULL);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (*setting("CA")) SET(CURLOPT_CAINFO, setting("CA"));
  SET(CURLOPT_TIMEOUT, 100L);
  /* If a reused connection turns out to be closed, libcurl would send the request a second time. */
  SET(CURLOPT_FORBID_REUSE, 1L);
  SET(CURLOPT_POSTFIELDSIZE, (long)pg_get(&core, PG_BODY_LENGTH));
  SET(CURLOPT_POSTFIELDS, memory + pg_get(&core, PG_BODY));
  if (pg_get(&core, PG_IS_GET)) SET(CURLOPT_HTTPGET, 1L);
  if (setup == CURLE_OK) setup = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  return setup == CURLE_OK;
}

static void send_request(void) {
  request_id = pg_get(&core, PG_REQUEST_ID);
  int id = request_id, is_whole = perform();
  if (!is_whole) fprintf(stderr, "no response: %s\n", curl_easy_strerror(setup));
  /* Pass the elapsed time to the core first. */
  run();
  if (is_whole) pg_response_end(&core, id);
  else pg_response_failed(&core, id);
}

int main(void) {
  int exit_code = open_device(), keys = STDIN_FILENO;
  if (exit_code || !(curl = curl_easy_init())) return exit_code ? exit_code : 1;
  for (int is_on = 1; is_on;) {
    struct pollfd waiting = {.fd = keys, .events = POLLIN};
    run();
    if (poll(&waiting, 1, pg_wake_in(&core)) < 1) continue;
    run();
    is_on = press_key(&keys);
  }
  curl_easy_cleanup(curl);
  pg_core_close(&core);
}
