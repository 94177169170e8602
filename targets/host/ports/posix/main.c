/* The host's main program. The user's keys are characters on standard input: s sign in, c cancel, o sign out, a call
 * the API, m print figures, l recent events, q quit. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "host.h"
#include "picogrant-port.h"
#include "posix.h"
#include "reason.h"
#include "storage.h"

/* SHOWN_S: the seconds for which the display reports a refused settings page, if the other settings page is valid. */
enum { SHOWN_S = 5 };

/* The parts of the program's only device. With several devices, each would need its own, except the network. */
static struct pg_host host;
static struct pg_page own_page;
static struct pg_trust own_trust;
static struct pg_file_medium records = {.file = -1};
static struct pg_network network;
static struct pg_connection connection;
static struct pg_display own_display;
static uint8_t memory[PG_MEMORY_MAX];
static size_t api_bytes;
static char demand[512];
static size_t demand_size;
static int call_status = -1;

static void take_api_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  (void)bytes;
  api_bytes += size;
}

/* Prints the resident size. Under an emulator, the kernel reports the size of the emulator. */
static void print_resident(void) {
  char text[4096];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  text[size > 0 ? size : 0] = 0;
  const char *peak = strstr(text, "VmHWM:");
  const char *now = strstr(text, "VmRSS:");
  fprintf(stderr, "resident: now %ld KiB, peak %ld KiB\n", now ? strtol(now + 6, NULL, 10) : -1,
          peak ? strtol(peak + 6, NULL, 10) : -1);
}

static void print_figures(void) {
#ifdef PG_HAS_ENGINE
  const struct pg_heap *heap = &host.core.heap;
  fprintf(stderr,
          "engine heap: used %zu, peak %zu, limit %zu bytes; %zu blocks, %lu requests; "
          "the engine without a program %zu, the whole core %zu\n",
          heap->used, heap->peak, heap->limit, heap->blocks, heap->calls, heap->engine, heap->core);
#endif
  print_resident();
}

static void print_history(void) {
  char line[PG_HISTORY_LINE];
  for (int i = 0; pg_history_line(&host.history, i, line); i++) fprintf(stderr, "%s\n", line);
}

static void show_broken(void) {
  enum { COLUMNS = 20, ROWS = 4 };
  uint8_t frame[COLUMNS * ROWS];
  (void)pg_reason_frame("", PG_REASON_SETTINGS_BROKEN, frame, COLUMNS, ROWS);
  pg_display_show(&own_display, frame, COLUMNS, ROWS);
}

static int load_settings(const struct pg_options *options) {
  int refused = 0;
  int is_open = pg_pages_open(&own_page, options->pages, &own_trust, &refused);
  if (refused) show_broken();
  if (!is_open) return PG_EXIT_WRONG;
  /* One of the two pages was refused, and the other one is in use. Let the user read the report. */
  if (refused) (void)sleep(SHOWN_S);
  return *own_page.directory ? 0 : pg_complain("--page", "storage.directory is missing");
}

static int has_failed_medium;

/* Opens the records. The user can sign in even if the disk is broken; the display then reports that nothing is saved. */
static int open_storage(const struct pg_medium **medium) {
  const char *why = NULL;
  uint32_t slot_bytes = PG_SLOT_HEADER + (uint32_t)own_page.settings.memory_bytes;
  enum pg_file_state state = pg_file_open(&records, own_page.directory, slot_bytes, medium, &why);
  if (state == PG_FILE_READY) return 0;
  char path[1100];
  snprintf(path, sizeof path, "%s/records.flash", own_page.directory);
  (void)pg_complain(path, why);
  if (state == PG_FILE_REFUSED) return PG_EXIT_WRONG;
  has_failed_medium = 1;
  fputs("picogrant-host: the device goes on, and will not stay signed in\n", stderr);
  return 0;
}

/* Stores the WWW-Authenticate that may require another sign-in, as far as it fits, without control characters. */
static void keep_demand(void *context, uint8_t c) {
  (void)context;
  if (demand_size + 1 >= sizeof demand) return;
  demand[demand_size++] = c == '\n' ? ',' : c < ' ' || c > '~' ? '?' : (char)c;
  demand[demand_size] = 0;
}

/* Prints which member a response lacks, or which value did not fit and how much memory the device needs. */
static void report_missing_capacity(int error) {
  static const char *const fields[] = PG_FIELD_NAMES;
  int field = pg_get(&host.core, PG_ERROR_FIELD);
  int is_field = field > 0 && field < (int)(sizeof fields / sizeof *fields);
  if (is_field &&
      (error == PG_ERROR_CODE_MALFORMED_RESPONSE || error == PG_ERROR_CODE_UNUSABLE_RESPONSES)) {
    fprintf(stderr, "there is no %s in the response that can be used\n", fields[field]);
    return;
  }
  if (!pg_host_memory_needed(&host)) return;
  if (is_field) fprintf(stderr, "%s of %d bytes", fields[field], pg_get(&host.core, PG_ERROR_LENGTH));
  else fputs("a request or a record", stderr);
  fprintf(stderr, " does not fit; it needs %d bytes of memory\n", pg_host_memory_needed(&host));
}

static void report_state(int state, int error) {
  static const char *const states[] = PG_STATE_NAMES;
  static const char *const errors[] = PG_ERROR_CODE_NAMES;
  fprintf(stderr, "state: %s, error %d", states[state], error);
  fprintf(stderr, error ? " (%s)\n" : "\n", errors[error]);
  if (state == PG_STATE_FAILED && pg_host_reason(&host)) {
    fprintf(stderr, "the session has ended: %s\n", pg_reason_sentence(pg_host_reason(&host)));
  }
  report_missing_capacity(error);
  if (pg_get(&host.core, PG_NOT_SAVED)) fputs("not saved: the device will not stay signed in\n", stderr);
  if (pg_get(&host.core, PG_NOT_ERASED)) fputs("not erased: a record of the session is still there\n", stderr);
}

static void print_trouble(int error, int reason) {
  static const char *const errors[] = PG_ERROR_CODE_NAMES;
  fprintf(stderr, "trying again: %s", errors[error]);
  fprintf(stderr, reason ? " (%s)\n" : "\n", pg_reason_sentence(reason));
  report_missing_capacity(error);
}

static void print_report(void *context, enum pg_report what, int a, int b) {
  (void)context;
  if (what == PG_REPORT_STATE) report_state(a, b);
  if (what == PG_REPORT_TROUBLE) print_trouble(a, b);
  if (what == PG_REPORT_BROKEN) {
    fputs("picogrant-host: the core is broken; start again\n", stderr);
  }
  if (what == PG_REPORT_CALL) {
    fprintf(stderr, "api: status %d, error %d, %zu bytes\n", a, b, api_bytes);
    if (pg_host_needs_sign_in(&host)) fprintf(stderr, "api: it wants another sign-in: %s\n", demand);
    call_status = a;
  }
}

static int open_device(const struct pg_host_parts *parts) {
  enum pg_open_result result = pg_host_open(&host, parts);
  if (result != PG_OPEN_OK) {
    const char *what = result == PG_OPEN_NO_HEAP        ? "--heap-limit"
                       : result == PG_OPEN_SMALL_MEMORY ? "limits.memoryBytes"
                       : result == PG_OPEN_SMALL_STORAGE ? "storage"
                                                        : "code";
    int needed = result == PG_OPEN_SMALL_MEMORY ? pg_host_memory_needed(&host) : 0;
    if (needed > 0) fprintf(stderr, "picogrant-host: the device needs %d bytes of memory\n", needed);
    return pg_complain(what, pg_host_problem(result));
  }
  fprintf(stderr, "core: %d bytes of memory\n", own_page.settings.memory_bytes);
  return 0;
}

static void call_api(void) {
  api_bytes = demand_size = 0;
  if (!pg_host_call(&host, PG_ENDPOINT_RESOURCE, "/liveBroadcasts?part=id,snippet&mine=true")) {
    fputs("api: not signed in, or a call is under way\n", stderr);
  }
}

/* Returns 0 to quit. */
static int take_key(char key) {
  switch (key) {
    case 'a':
      call_api();
      break;
    case 'm':
      print_figures();
      break;
    case 'l':
      print_history();
      break;
    case 'q':
      return 0;
    default:
      (void)pg_host_letter(&host, key);
  }
  return 1;
}

/* Ignores signals that POSIX sends instead of an error number. A write to a closed pipe or socket then fails with
 * EPIPE, and one beyond the file size limit with EFBIG, and the host reports the failure. SIGTTIN and SIGTTOU still
 * stop the program, as the shell expects. */
static void ignore_signals_of_errors(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* Opens a descriptor for the signals that end the device between two steps. An ignored SIGHUP (nohup) stays ignored. */
static int open_signals(void) {
  sigset_t set;
  struct sigaction hangup;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, NULL);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Reads the available keys. The descriptor is ready, so one read does not block. Neither O_NONBLOCK nor the terminal's
 * mode is set, because other programs share the terminal. After the end of the input or an error, no more keys are
 * read. Returns 0 to quit. */
static int read_keys(struct pg_waiting *input) {
  char keys[64];
  if (!input->is_ready) return 1;
  ssize_t size = read(input->descriptor, keys, sizeof keys);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) input->descriptor = -1;
  for (ssize_t i = 0; i < size; i++) {
    if (!take_key(keys[i])) return 0;
  }
  return 1;
}

static void show_call(void) {
  char line[32];
  if (call_status < 0) return;
  snprintf(line, sizeof line, "API responded %d", call_status);
  pg_set_status(&host.core, line);
  call_status = -1;
}

/* Runs until the user or a signal ends the loop. Returns 0 if the core is broken. */
static int loop(void) {
  struct pg_waiting waiting[PG_WAIT_MAX] = {{open_signals(), 0}, {STDIN_FILENO, 0}};
  int ok = pg_host_step(&host);
  while (ok) {
    show_call();
    pg_wait(&network, pg_host_wake_in(&host), waiting, PG_WAIT_MAX);
    if (waiting[0].is_ready || !read_keys(&waiting[1])) break;
    ok = pg_host_step(&host);
  }
  close(waiting[0].descriptor);
  return ok;
}

#ifdef PG_KEYS
static struct pg_signer own_signer;

/* Opens the key that the settings require. Its file is in the same directory as the records. */
static int open_signer(void) {
  char path[1100];
  if (!own_page.settings.dpop && !own_page.settings.private_key_jwt) return 0;
  snprintf(path, sizeof path, "%s/key.pem", own_page.directory);
  const char *why = pg_signer_open(&own_signer, path);
  return why ? pg_complain(path, why) : 0;
}
#endif

static int run_device(const struct pg_options *options, const struct pg_medium *medium) {
  (void)options;
#ifdef PG_HAS_ENGINE
  const struct pg_engine engine = {.heap_limit = options->heap_limit};
#endif
  const struct pg_host_parts parts = {
      .settings = &own_page.settings,
#ifdef PG_HAS_ENGINE
      .engine = &engine,
#endif
      .memory = memory,
      .medium = medium,
      .connection = &connection,
      .keeps_connection = 1,
      .trust = &own_trust,
#ifdef PG_KEYS
      .signer = own_signer.sign ? &own_signer : NULL,
#endif
      .display = &own_display,
      .has_failed_medium = has_failed_medium,
      .report = print_report,
      .body = take_api_body,
      .challenge = keep_demand,
  };
  int wrong = open_device(&parts);
  if (wrong) return wrong;
  const char *why = pg_network_open(&network);
  if (why) return pg_complain("network", why);
  (void)pg_connection_open(&network, &connection);
  int ok = loop();
  print_figures();
  pg_host_close(&host);
  pg_network_close(&network);
  return ok ? 0 : PG_EXIT_BROKEN;
}

/* Opens closed standard descriptors. Otherwise the next file would get the number of such a descriptor. Records could
 * then be read as keys, and the display could overwrite them. */
static int open_standard_descriptors(void) {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    if (open("/dev/null", O_RDWR) != descriptor) return 0;
  }
  return 1;
}

int main(int count, char **arguments) {
  struct pg_options options = {0};
  const struct pg_medium *medium = NULL;
  if (!open_standard_descriptors()) return PG_EXIT_WRONG;
  ignore_signals_of_errors();
  pg_process_close();
  pg_process_lock(memory, sizeof memory);
  /* Overwrite freed blocks, because those of the TLS library contain the data of connections. glibc does not overwrite
   * small blocks (up to 1,032 bytes). heap.c wipes what the engine frees, whatever its size. */
  mallopt(M_PERTURB, 0x55);
  int wrong = pg_read_options(count, arguments, &options);
  own_display.out = stdout;
  if (!wrong) wrong = load_settings(&options);
  if (!wrong) wrong = open_storage(&medium);
#ifdef PG_KEYS
  if (!wrong) wrong = open_signer();
#endif
  if (!wrong) wrong = run_device(&options, medium);
  pg_file_close(&records);
  pg_wipe(memory, sizeof memory);
  pg_pages_close();
#ifdef PG_KEYS
  pg_signer_close();
#endif
  return wrong == -1 ? 0 : wrong;
}
