/* The device updates itself. Contract in update.h. */
#include "update.h"

#include <string.h>

#include "board-connection.h"
#include "board.h"
#include "clock.h"
#include "loader/services.h"
#include "network.h"

/* How long the whole image may take, and how long nothing may come: the core stands still meanwhile. */
enum { CONNECT_SECONDS = 30, EXCHANGE_SECONDS = 600, SILENCE_MS = 30000 };
enum { STATUS_OK = 200, STATUS_PARTIAL = 206 };
/* FORMAT.md's limit: what is longer than a slot is told by the loader. */
enum { ANSWER_BYTES = 4194304 };
enum { LATEST_BYTES = 96, RELEASE_BYTES = 32, AT_RELEASE = 112 };

/* The header of the image that runs: it lies ahead of the program (board.ld). */
extern const uint8_t board_image_header[];

static struct {
  int is_over;
  int is_interrupted;
  const char *failure; /* NULL: none so far */
  uint32_t heard_ms;   /* when the last bytes came */
  int is_latest;       /* what comes is `latest`; otherwise an image */
  char latest[LATEST_BYTES + 1];
  size_t latest_size;
} update;

/* Where an update comes from, and over what. */
struct source {
  const char *address;
  struct pg_http *http;
  const struct pg_settings *settings;
  const struct board_trust *trust;
};

/* An image of which a part has come. `size` 0: there is none. */
static struct {
  int slot;
  uint32_t size;
  char release[RELEASE_BYTES + 1];
} part;

static void say(const char *what) {
  board_log("update: ");
  board_log(what);
  board_log("\n");
}

static void give_up(const char *why) {
  if (!update.failure) update.failure = why;
  update.is_over = 1;
}

static int refuse(enum pg_image_result result) {
  if (result == PG_IMAGE_OK) return 0;
  board_log("update: refused: ");
  board_log(loader_services.result_name(result));
  board_log("\n");
  return 1;
}

/* The slot's beginning is written again. */
static int begin_image(void) {
  part.size = 0;
  return !refuse(loader_services.begin_update(&part.slot));
}

static void take_status(void *context, int status, int retry_after_s) {
  (void)context;
  (void)retry_after_s;
  if (status == STATUS_PARTIAL && part.size > 0 && !update.is_latest) return;
  if (status != STATUS_OK) {
    part.size = 0;
    give_up("the server has none");
  } else if (part.size > 0 && !update.is_latest && !begin_image()) {
    /* It sends all of it, from the beginning on. */
    give_up("the slot cannot be written from its beginning");
  }
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  if (update.failure) return;
  update.heard_ms = pg_clock_ms();
  if (update.is_latest) {
    if (size > LATEST_BYTES - update.latest_size) size = LATEST_BYTES - update.latest_size;
    memcpy(update.latest + update.latest_size, bytes, size);
    update.latest_size += size;
  } else if (loader_services.write_update(bytes, size)) {
    part.size += (uint32_t)size;
  } else {
    part.size = 0;
    give_up("it is longer than a slot, or the flash cannot be written");
  }
}

static void take_end(void *context) {
  (void)context;
  update.is_over = 1;
}

static void take_failure(void *context) {
  (void)context;
  give_up("the connection has failed");
}

/* Milliseconds until the server has been silent for too long. */
static uint32_t patience_ms(void) {
  uint32_t silent_ms = pg_clock_ms() - update.heard_ms;
  return silent_ms < SILENCE_MS ? SILENCE_MS - silent_ms : 0;
}

/* Until something comes, or is due. */
static void wait(const struct pg_http *http) {
  uint32_t ms = (uint32_t)pg_http_wake_in(http);
  if (network_wake_in() < ms) ms = network_wake_in();
  if (patience_ms() < ms) ms = patience_ms();
  board_sleep(ms);
  network_work();
}

/* The header that asks for what is still missing. */
static const char *range_from(uint32_t at) {
  static char line[] = "Range: bytes=          -\r\n";
  enum { FIRST = 13, DIGITS = 10 };
  char digits[DIGITS];
  int count = 0;
  if (at == 0) return NULL;
  for (; at > 0; at /= 10) digits[count++] = (char)('0' + at % 10);
  char *to = line + FIRST;
  while (count > 0) *to++ = digits[--count];
  memcpy(to, "-\r\n", 4);
  return line;
}

/* 1: all of it has come. */
static int fetch(const struct source *source, const char *target) {
  static const struct pg_http_sink sink = {take_status, take_body, take_end, take_failure, NULL};
  /* Over plain http, too: no secret goes there, and what comes is signed. */
  struct pg_http *http = source->http;
  const struct pg_http_settings own = {.user_agent = source->settings->user_agent,
                                       .connection = &board_connection,
                                       .trust = source->trust,
                                       .connect_seconds = CONNECT_SECONDS,
                                       .exchange_seconds = EXCHANGE_SECONDS,
                                       .answer_bytes = ANSWER_BYTES,
                                       .allowed = {&source->address, 1, 1}};
  const struct pg_http_request request = {.is_get = 1,
                                          .address = source->address,
                                          .target = (const uint8_t *)target,
                                          .target_size = strlen(target),
                                          .headers = update.is_latest ? NULL : range_from(part.size)};
  update.is_over = 0;
  update.failure = NULL;
  update.heard_ms = pg_clock_ms();
  pg_http_open(http, &own, &sink, NULL);
  if (!pg_http_send(http, &request)) give_up("its address is none");
  while (!update.is_over) {
    pg_http_work(http);
    if (update.is_over) break;
    if (board_key_is_kept()) {
      update.is_interrupted = 1;
      give_up("a key is pressed; it goes on afterwards");
    } else if (patience_ms() == 0) {
      give_up("nothing more has come from the server");
    } else {
      wait(http);
    }
  }
  pg_http_close(http);
  if (update.failure) say(update.failure);
  return !update.failure;
}

/* The word behind `name ` at the beginning of a line of `latest`; its length, 0 where it is not there. */
static size_t latest_word(const char *name, const char **word) {
  size_t length = strlen(name);
  for (const char *line = update.latest; *line;) {
    if (strncmp(line, name, length) == 0 && line[length] == ' ') {
      *word = line + length + 1;
      return strcspn(*word, " \r\n");
    }
    line += strcspn(line, "\n");
    if (*line) line++;
  }
  return 0;
}

static uint32_t latest_settings(void) {
  const char *word = NULL;
  size_t length = latest_word("settings", &word);
  uint32_t counter = 0;
  for (size_t i = 0; i < length && i < 9 && word[i] >= '0' && word[i] <= '9'; i++) {
    counter = counter * 10 + (uint32_t)(word[i] - '0');
  }
  return counter;
}

/* Whether the release that is offered is another than the one that runs; its name goes to `release`. */
static int is_other_release(char release[RELEASE_BYTES + 1]) {
  const char *word = NULL;
  size_t length = latest_word("release", &word);
  if (length == 0 || length > RELEASE_BYTES) return 0;
  memset(release, 0, RELEASE_BYTES + 1);
  memcpy(release, word, length);
  return memcmp(release, board_image_header + AT_RELEASE, RELEASE_BYTES) != 0;
}

/* 1: new settings count from the next start on. */
static int fetch_settings(const struct source *source) {
  part.size = 0;
  say("new settings");
  loader_services.begin_settings();
  int ok = fetch(source, "/settings.img");
  part.size = 0;
  return ok && !refuse(loader_services.end_update());
}

/* 1: a new image waits for its trial. */
static int fetch_image(const struct source *source, const char *release) {
  if (part.size > 0 && strcmp(part.release, release) == 0) {
    say(part.slot == 0 ? "goes on, into slot A" : "goes on, into slot B");
  } else {
    if (!begin_image()) return 0;
    memcpy(part.release, release, sizeof part.release);
    say(part.slot == 0 ? "begins, into slot A" : "begins, into slot B");
  }
  if (!fetch(source, part.slot == 0 ? "/a.img" : "/b.img")) return 0;
  part.size = 0;
  return !refuse(loader_services.end_update());
}

enum update_end update_run(const char *address, struct pg_http *http, const struct pg_settings *settings,
                           const struct board_trust *trust) {
  const struct source source = {address, http, settings, trust};
  char release[RELEASE_BYTES + 1];
  size_t size;
  uint32_t counter;
  int is_new = 0;
  if (!*address) {
    say("this device knows no server of updates");
    return UPDATE_NOTHING;
  }
  update.is_interrupted = 0;
  update.latest_size = 0;
  memset(update.latest, 0, sizeof update.latest);
  update.is_latest = 1;
  int ok = fetch(&source, "/latest");
  update.is_latest = 0;
  if (!ok) return update.is_interrupted ? UPDATE_INTERRUPTED : UPDATE_NOTHING;
  (void)loader_services.settings(&size, &counter);
  int has_settings = latest_settings() > counter;
  int has_release = is_other_release(release);
  if (!has_settings && !has_release) say("up to date");
  /* What is begun goes on first: settings would take its place in the loader. */
  if (has_release) is_new = fetch_image(&source, release);
  if (has_settings && !update.is_interrupted && part.size == 0) {
    is_new |= fetch_settings(&source);
  }
  if (update.is_interrupted) return UPDATE_INTERRUPTED;
  if (is_new) say("all of it is good; restarting into it");
  return is_new ? UPDATE_READY : UPDATE_NOTHING;
}

void update_confirm(struct pg_host *host) {
  static int is_confirmed;
  if (is_confirmed || !pg_host_is_well(host)) return;
  is_confirmed = loader_services.confirm() == PG_IMAGE_OK;
  if (is_confirmed) say("the running image is confirmed");
}
