/* The device updates itself. Contract in update.h. */
#include "update.h"

#include "board.h"
#include "clock.h"
#include "host.h"
#include "http.h"
#include "loader/services.h"
#include "network.h"

/* How long the whole image may take, and how long nothing may come: the core stands still meanwhile. */
enum { CONNECT_SECONDS = 30, EXCHANGE_SECONDS = 600, SILENCE_MS = 30000, STATUS_OK = 200 };
/* FORMAT.md's limit: what is longer than a slot is told by the loader. */
enum { ANSWER_BYTES = 4194304 };

static struct {
  int is_over;
  const char *failure; /* NULL: none so far */
  uint32_t heard_ms;   /* when the last bytes came */
} update;

static void give_up(const char *why) {
  if (!update.failure) update.failure = why;
  update.is_over = 1;
}

static void take_status(int status, int retry_after_s) {
  (void)retry_after_s;
  if (status != STATUS_OK) give_up("the server has none");
}

static void take_body(const uint8_t *bytes, size_t size) {
  if (update.failure) return;
  update.heard_ms = pg_clock_ms();
  if (!loader_services.write_update(bytes, size)) {
    give_up("it is longer than a slot, or the flash cannot be written");
  }
}

static void take_end(void) { update.is_over = 1; }

static void take_failure(void) { give_up("the connection has failed"); }

/* Milliseconds until the server has been silent for too long. */
static uint32_t patience_ms(void) {
  uint32_t silent_ms = pg_clock_ms() - update.heard_ms;
  return silent_ms < SILENCE_MS ? SILENCE_MS - silent_ms : 0;
}

/* Until something comes, or is due. */
static void wait(void) {
  uint32_t ms = (uint32_t)pg_http_wake_in();
  if (network_wake_in() < ms) ms = network_wake_in();
  if (patience_ms() < ms) ms = patience_ms();
  board_sleep(ms);
  network_work();
}

static void say(const char *what) {
  board_log("update: ");
  board_log(what);
  board_log("\n");
}

static void fetch(const char *address, int slot, const struct pg_settings *settings,
                  const struct board_trust *trust) {
  static const struct pg_http_sink sink = {take_status, take_body, take_end, take_failure};
  static const char *const targets[] = {"/a.img", "/b.img"};
  const struct pg_http_settings own = {settings->user_agent, trust, CONNECT_SECONDS, EXCHANGE_SECONDS,
                                       ANSWER_BYTES};
  const struct pg_http_request request = {
      .is_get = 1, .address = address, .target = (const uint8_t *)targets[slot], .target_size = 6};
  update.heard_ms = pg_clock_ms();
  pg_http_open(&own, &sink);
  if (!pg_http_send(&request)) give_up("its address is none");
  while (!update.is_over) {
    pg_http_work();
    if (update.is_over) break;
    if (patience_ms() == 0) give_up("nothing more has come from the server");
    else wait();
  }
  pg_http_close();
}

void update_run(const char *address, const struct pg_settings *settings,
                const struct board_trust *trust) {
  int slot = 0;
  update.is_over = 0;
  update.failure = NULL;
  if (!*address) {
    say("this device knows no server of updates");
    return;
  }
  enum pg_image_result result = loader_services.begin_update(&slot);
  if (result == PG_IMAGE_OK) {
    say(slot == 0 ? "begins, into slot A" : "begins, into slot B");
    fetch(address, slot, settings, trust);
    if (update.failure) {
      say(update.failure);
      return;
    }
    result = loader_services.end_update();
  }
  if (result != PG_IMAGE_OK) {
    board_log("update: refused: ");
    board_log(loader_services.result_name(result));
    board_log("\n");
    return;
  }
  say("the image is good; restarting into its trial");
  board_restart();
}

void update_confirm(void) {
  static int is_confirmed;
  if (is_confirmed || !pg_host_is_well()) return;
  is_confirmed = loader_services.confirm() == PG_IMAGE_OK;
  if (is_confirmed) say("the running image is confirmed");
}
