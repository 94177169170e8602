/* The firmware's main program. Keys on the serial line are the device's buttons: s sign in, c cancel, o sign out, a call
 * the API, b battery mode on or off, l recent events, m figures, r reset; for tests, h hang, d overflow the stack. */
#include "board.h"
#include "host.h"
#include "map.h"
#include "network.h"
#include "page.h"
#include "picogrant-port.h"
#include "reason.h"
#include "tls.h"

/* The stack is filled with PAINT at the start. Words that still have this pattern were never used. */
enum { PAINT = 0x57ac57ac, OWN_WORDS = 16 };

extern uint32_t board_stack_bottom[], board_stack_top[];

/* Fills the stack below the caller's frame, except OWN_WORDS for this function's own frame. */
void board_stack_paint(void *frame) {
  uint32_t *here = frame;
  for (uint32_t *word = board_stack_bottom; word < here - OWN_WORDS; word++) *word = PAINT;
}

size_t board_stack_used(void) {
  const uint32_t *word = board_stack_bottom;
  while (word < board_stack_top && *word == PAINT) word++;
  return (size_t)(board_stack_top - word) * sizeof *word;
}

size_t board_stack_size(void) {
  return (size_t)(board_stack_top - board_stack_bottom) * sizeof *board_stack_top;
}

enum {
  MEMORY_BYTES = DEVICE_MEMORY_BYTES,
  GIVE_UP_MS = 60000,
  SHOWN_MS = 5000, /* how long the board reports a refused settings page if the other one is valid */
  BATTERY_COUNTDOWN_MS = 60000
};

static uint8_t memory[MEMORY_BYTES] __attribute__((aligned(4)));
static struct pg_host host;
static struct pg_page page;
static struct board_trust trust;
static size_t call_bytes;
static const char *const states[] = PG_STATE_NAMES;

static void print(const char *what, long number, const char *unit) {
  board_log(what);
  board_log_number(number);
  board_log(unit);
}

/* Shows an error that only another settings page or other firmware can fix. */
static void show_broken(const char *what, const char *why, int for_ms) {
  enum { COLUMNS = 16, ROWS = 2 };
  uint8_t frame[COLUMNS * ROWS];
  if (pg_reason_frame(page.settings.reasons, PG_REASON_SETTINGS_BROKEN, frame, COLUMNS, ROWS)) {
    pg_display_show(NULL, frame, COLUMNS, ROWS);
  }
  board_log(what);
  board_log(": ");
  board_log(why);
  board_log("\n");
  for (int slept = 0; slept < for_ms; slept += 1000) {
    board_sleep(1000);
    if (board_key() == 'r') break;
  }
}

/* Called when the device cannot continue. Shows the error, and restarts the board after a while. */
static void stop(const char *what, const char *why) {
  show_broken(what, why, GIVE_UP_MS);
  board_restart();
}

static void print_figures(void) {
  struct board_sleep_figures sleep = board_sleep_figures();
#ifdef PG_HAS_ENGINE
  const struct pg_heap *heap = &host.core.heap;
  print("heap: size ", ARENA_BYTES, "");
  print(", peak ", (long)heap->peak, "");
  print(", reached ", (long)board_heap_reached(), "");
  print(", requests ", (long)heap->calls, "\n");
#endif
  print("stack: size ", (long)board_stack_size(), "");
  print(", used ", (long)board_stack_used(), "\n");
  print("sleep: wakes ", (long)sleep.wakes, "");
  print(", asleep ", (long)sleep.asleep_ms, "");
  print(" of ", (long)sleep.since_ms, " ms\n");
}

static void take_report(void *context, enum pg_report report, int a, int b) {
  (void)context;
  switch (report) {
    case PG_REPORT_STATE:
      board_log("state: ");
      board_log(states[a]);
      print(", error ", b, "");
      if (b && pg_get(&host.core, PG_ERROR_FIELD)) {
        print(", field ", pg_get(&host.core, PG_ERROR_FIELD), "");
      }
      board_log("\n");
      break;
    case PG_REPORT_TROUBLE:
      print("trying again: error ", a, "");
      print(", reason ", b, "");
      print(", field ", pg_get(&host.core, PG_ERROR_FIELD), "\n");
      break;
    case PG_REPORT_CALL:
      print("api: status ", a, "");
      print(", error ", b, "");
      print(", ", (long)call_bytes, " bytes\n");
      if (pg_host_needs_sign_in(&host)) board_log("api: it wants another sign-in\n");
      break;
    default:
      board_log("the core is broken\n");
  }
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  (void)bytes;
  call_bytes += size;
}

static void call_api(void) {
  call_bytes = 0;
  if (!pg_host_call(&host, PG_ENDPOINT_RESOURCE, "/liveBroadcasts?part=id,snippet&mine=true")) {
    board_log("api: not signed in, or a call is under way\n");
  }
}

static int dig(volatile int depth) { return depth < 0 ? 0 : dig(depth + 1) + depth; }

static void toggle_batteries(struct pg_host_parts *parts) {
  parts->countdown_ms = parts->countdown_ms ? 0 : BATTERY_COUNTDOWN_MS;
  board_log(parts->countdown_ms ? "batteries: the countdown goes by polls\n"
                               : "mains: the countdown goes by seconds\n");
}

static void print_history(void) {
  char line[PG_HISTORY_LINE];
  for (int i = 0; pg_history_line(&host.history, i, line); i++) {
    board_log(line);
    board_log("\n");
  }
}

static void press(struct pg_host_parts *parts, int key) {
  switch (key) {
    case 'a':
      call_api();
      break;
    case 'b':
      toggle_batteries(parts);
      break;
    case 'h':
      board_log("hangs\n");
      board_hang();
    case 'd':
      board_log("digs\n");
      (void)dig(0);
      break;
    case 'l':
      print_history();
      break;
    case 'm':
      print_figures();
      break;
    case 'r':
      board_log("reset\n");
      board_restart();
    default:
      (void)pg_host_letter(&host, key);
  }
}

static void wait(uint32_t core_ms) {
  uint32_t network_ms = network_wake_in();
  board_sleep(network_ms < core_ms ? network_ms : core_ms);
  network_work();
}

static void open_board(void) {
  board_uart_open();
  board_clock_open();
  board_watchdog_open();
  board_log("\npicogrant on " MAP_NAME "\n");
  board_clock_read(BUILD_S);
  board_oled_open();
}

/* Reads the two settings pages. Reports a refused one, and uses the other one. */
static void open_page(void) {
  static const char *const names[PG_PAGE_AREAS] = {"page 0", "page 1"};
  const struct pg_page_bytes areas[PG_PAGE_AREAS] = {{board_page_0, MAP_PAGE_BYTES}, {board_page_1, MAP_PAGE_BYTES}};
  enum pg_page_result results[PG_PAGE_AREAS];
  int chosen = pg_page_choose(&page, areas, MEMORY_BYTES, results);
  if (chosen < 0) {
    int invalid = results[0] == PG_PAGE_EMPTY && results[1] != PG_PAGE_EMPTY;
    stop(names[invalid], pg_page_problem(results[invalid]));
  }
  int other = 1 - chosen;
  if (results[other] != PG_PAGE_OK && results[other] != PG_PAGE_EMPTY) {
    show_broken(names[other], pg_page_problem(results[other]), SHOWN_MS);
  }
  board_log("settings: ");
  board_log(names[chosen]);
  board_log("\n");
  board_clock_read(page.made_s);
  trust = board_trust_of(&page);
}

static void open_host(struct pg_host_parts *parts) {
  enum pg_open_result result = pg_host_open(&host, parts);
  if (result == PG_OPEN_OK) return;
  print_figures();
  stop("device", pg_host_problem(result));
}

int main(void) {
  static struct pg_host_parts parts = {
      .memory = memory,
      .settings = &page.settings,
      .medium = &board_records,
      .connection = &board_connection,
      .trust = &trust,
      .clock = &board_clock,
      .report = take_report,
      .body = take_body,
  };
  open_board();
  open_page();
  if (!board_entropy_open(page.seed.bytes, page.seed.size)) board_log("entropy: no seed; TLS is refused\n");
#ifdef PG_KEYS
  static struct pg_signer signer;
  if (board_signer_open(&signer, &page)) parts.signer = &signer;
#endif
  open_host(&parts);
  network_open(page.time_server);
  print_figures();
  while (pg_host_step(&host)) {
    int key = board_key();
    if (key >= 0) press(&parts, key);
    else wait((uint32_t)pg_host_wake_in(&host));
  }
  pg_host_close(&host);
  board_restart();
}
