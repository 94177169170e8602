/*
 * Shared by libcurl.c and event-loop.c: a device on a console, with records in two files. Settings are environment
 * variables:
 *         S=http://127.0.0.1:8080 ID=public-printer SCOPE=openid CODE=$S/device/code TOKEN=$S/token REVOKE=$S/revoke
 * API is an address that requires the token, CA a file of certificate authorities, STATE a folder for the records.
 * SPREAD_MS=-1 starts at once, otherwise the device starts within five seconds. Keys are lines: s sign in, c cancel, o
 * sign out, a call the API, q quit.
 */
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

/* Addresses by PG_ENDPOINT_*, and files by PG_SLOT. */
static const char *const addresses[] = {"CODE", "TOKEN", "REVOKE", "", "", "API"};
static const char *const files[] = {"record.0", "record.1"};

/* Each example defines these: they carry out PG_COMMAND_SEND and PG_COMMAND_ABORT. */
static void send_request(void);
static void abort_request(void);

/* Allows plain http only to this machine, because others on the network could read it. */
static int is_own(const char *address) {
  return strncmp(address, "http://127.0.0.1:", 17) == 0 || strncmp(address, "http://localhost:", 17) == 0;
}

/* Returns 1 when the record is durable. The core detects an incomplete one, and uses the record in the other slot. */
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

/* Lets time pass in the core, and carries out its commands until there are none. */
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
    if (command == PG_COMMAND_ABORT) abort_request();
    if (command == PG_COMMAND_SEND) send_request();
  }
}

/* Returns 0, or the exit code after printing the reason on standard error. */
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

/* Reads a key and reports it to the core. Sets `keys` to -1 at the end of the input. Returns 0 for q. */
static int press_key(int *keys) {
  char key = 0;
  if (read(*keys, &key, 1) < 1) *keys = -1;
  if (key == 's') pg_sign_in(&core);
  if (key == 'c') pg_cancel(&core);
  if (key == 'o') pg_sign_out(&core);
  if (key == 'a' && !pg_call_resource(&core, PG_ENDPOINT_RESOURCE, "")) fputs("the API cannot be called now\n", stderr);
  return key != 'q';
}
