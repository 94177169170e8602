/*
 * The host's program: reads the configuration, starts the core, sleeps and works. The user's keys are
 * lines on standard input: s sign in, c cancel, o sign out, a call the API, m measure, q quit.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot.h"
#include "clock.h"
#include "config.h"
#include "core-code.h"
#include "driver.h"
#include "heap.h"
#include "picogrant.h"
#include "storage.h"

enum {
  MEMORY_MAX = 8192,
  CONFIG_MAX = 32768,
  /* What a 32-bit board has for the grant alone; pointers twice as long need more than as much again. */
  HEAP_LIMIT = sizeof(void *) == 8 ? 262144 : 98304,
  EXIT_WRONG = 2,
  EXIT_BROKEN = 70
};

static struct pg_config config;
static uint8_t memory[MEMORY_MAX];
static char config_text[CONFIG_MAX + 1];
static size_t api_bytes;
static const char *const states[] = PG_STATE_NAMES;

struct options {
  const char *config;
  const char *images;
  const char *key;
  const char *install;
  unsigned long counter_min;
  size_t heap_limit;
};

static int complain(const char *what, const char *why) {
  fprintf(stderr, "picogrant-host: %s: %s\n", what, why);
  return EXIT_WRONG;
}

static void take_api_body(const uint8_t *bytes, size_t size) {
  (void)bytes;
  api_bytes += size;
}

/* Resident size as the kernel has it; under an emulator it is the emulator's. */
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
  struct pg_heap_figures heap = pg_heap_figures();
  fprintf(stderr,
          "engine heap: used %zu, peak %zu, limit %zu bytes; %zu blocks, %lu requests; "
          "the engine without a program %zu, the whole core %zu\n",
          heap.used, heap.peak, heap.limit, heap.blocks, heap.calls, heap.engine, heap.core);
  print_resident();
}

/* 0 where the file cannot be read, or is too long. `is_open`: users outside its group may read it. */
static size_t read_config(const char *path, int *is_open) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  *is_open = file < 0 || fstat(file, &status) != 0 || (status.st_mode & S_IRWXO) != 0;
  ssize_t size = file < 0 ? -1 : read(file, config_text, CONFIG_MAX + 1);
  if (file >= 0) close(file);
  if (size < 0 || size > CONFIG_MAX) return 0;
  config_text[size] = 0;
  return (size_t)size;
}

static int load_config(const struct options *options, const struct pg_boot_image *image) {
  size_t size = image->config_size;
  int is_open = 0;
  if (options->config) {
    size = read_config(options->config, &is_open);
    if (!size) return complain(options->config, "cannot be read, or is empty or too long");
  } else if (size && size <= CONFIG_MAX) {
    memcpy(config_text, image->config, size);
    config_text[size] = 0;
  } else {
    return complain("--config", "name the device.json; no image brings one");
  }
  const char *why = pg_config_parse(&config, config_text, size);
  explicit_bzero(config_text, sizeof config_text);
  if (!why && is_open && *config.client_secret) {
    why = "every user can read the secret in it; run chmod 640 on it";
  }
  return why ? complain(options->config ? options->config : "the image's device.json", why) : 0;
}

static int open_storage(void) {
  char path[PG_PATH + 16];
  snprintf(path, sizeof path, "%s/records.flash", config.directory);
  if (mkdir(config.directory, 0700) != 0 && errno != EEXIST) {
    return complain(config.directory, strerror(errno));
  }
  const char *why = pg_storage_open(path);
  return why ? complain(path, why) : 0;
}

static int open_core(const struct options *options, const struct pg_boot_image *image) {
  struct pg_core_config core = {
      .client_id = config.client_id,
      .client_secret = config.client_secret,
      .scope = config.scope,
      .device_parameters = config.device_parameters,
      .columns = config.columns,
      .rows = config.rows,
      .seed = pg_random_seed(),
      .auto_start = config.auto_start,
      .renewals_max = config.renewals,
      .revoke_in_body = config.revoke_in_body,
  };
  const uint8_t *code = image->code ? image->code : pg_core_code;
  size_t size = image->code ? image->code_size : pg_core_code_size;
  switch (pg_core_open(code, size, memory, (size_t)config.memory_bytes, &core,
                       options->heap_limit)) {
    case PG_OPEN_OK:
      fprintf(stderr, "core: %zu bytes of bytecode, %d bytes of memory\n", size,
              config.memory_bytes);
      return 0;
    case PG_OPEN_NO_HEAP:
      return complain("--heap-limit", "too low for the engine and the core; give more");
    case PG_OPEN_SMALL_MEMORY:
      return complain("limits.memoryBytes", "too few for this configuration; give more");
    default:
      return complain("bytecode", "not the core's, or of another engine version");
  }
}

static void call_api(void) {
  api_bytes = 0;
  if (!pg_call_video_api("/liveBroadcasts?part=id,snippet&mine=true")) {
    fputs("api: not signed in, or a call is under way\n", stderr);
  }
}

/* One key of the user's. 0: quit. */
static int take_key(char key, int *ok) {
  switch (key) {
    case 's':
      *ok = pg_driver_happen(pg_sign_in);
      break;
    case 'c':
      *ok = pg_driver_happen(pg_cancel);
      break;
    case 'o':
      *ok = pg_driver_happen(pg_sign_out);
      break;
    case 'a':
      *ok = pg_driver_happen(call_api);
      break;
    case 'm':
      print_figures();
      break;
    case 'q':
      return 0;
    default:
      break;
  }
  return 1;
}

/* Says what has changed: the state, and an API call that has come to its end. */
static void report_changes(void) {
  static int moves = -1;
  static int call_state;
  if (pg_get(PG_MOVES) != moves) {
    moves = pg_get(PG_MOVES);
    fprintf(stderr, "state: %s, error %d\n", states[pg_get(PG_STATE)], pg_get(PG_ERROR));
  }
  if (call_state != PG_CALL_STATE_DONE && pg_get(PG_CALL_STATE) == PG_CALL_STATE_DONE) {
    char line[32];
    int status = pg_get(PG_CALL_STATUS);
    fprintf(stderr, "api: status %d, error %d, %zu bytes\n", status, pg_get(PG_CALL_ERROR),
            api_bytes);
    snprintf(line, sizeof line, "API answered %d", status);
    pg_set_status(line);
  }
  call_state = pg_get(PG_CALL_STATE);
}

static int open_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Keys that have come; end of input leaves a device without keys. 0: quit. */
static int read_keys(int *count, int *ok) {
  char keys[64];
  ssize_t size = read(STDIN_FILENO, keys, sizeof keys);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) *count = 1;
  for (ssize_t i = 0; i < size; i++) {
    if (!take_key(keys[i], ok)) return 0;
  }
  return 1;
}

/* Runs until the user or a signal ends it. 0: the core is broken. */
static int loop(void) {
  int descriptors[2] = {open_signals(), STDIN_FILENO};
  int count = 2;
  int ok = 1;
  char ignored[sizeof(struct signalfd_siginfo)];
  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
  while (ok) {
    ok = pg_driver_run();
    report_changes();
    if (!ok || read(descriptors[0], ignored, sizeof ignored) > 0) break;
    pg_http_wait(pg_driver_wait_ms(), descriptors, count);
    pg_http_work();
    if (count == 2 && !read_keys(&count, &ok)) break;
  }
  close(descriptors[0]);
  return ok && !pg_core_broken();
}

static int run_device(const struct options *options, const struct pg_boot_image *image) {
  int wrong = open_core(options, image);
  if (wrong) return wrong;
  struct pg_http_settings settings = {config.certificates, config.user_agent,
                                      config.connect_seconds, config.exchange_seconds,
                                      (size_t)config.answer_bytes};
  const char *why = pg_http_open(&settings, &pg_driver_sink);
  if (why) return complain("http", why);
  pg_driver_start(&config, memory, take_api_body);
  int ok = pg_driver_run();
  if (ok && options->images && !pg_boot_first_tick()) {
    fputs("picogrant-host: the boot record cannot be written\n", stderr);
  }
  ok = ok && loop();
  print_figures();
  pg_http_close();
  pg_core_close();
  if (!ok) fputs("picogrant-host: the core is broken; start again\n", stderr);
  return ok ? 0 : EXIT_BROKEN;
}

static int is_number(const char *text, unsigned long *value) {
  char *end = NULL;
  errno = 0;
  *value = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && errno == 0;
}

static void print_usage(void) {
  fputs("usage: picogrant-host --config device.json [--heap-limit BYTES]\n"
        "       picogrant-host --images DIRECTORY --key PUBLIC-KEY-FILE [--counter-min N] ...\n"
        "       picogrant-host --images DIRECTORY --key FILE --install IMAGE\n"
        "       picogrant-host --abi\n",
        stdout);
}

static int misused(const char *word) {
  return complain(word, "no option, or its value is missing or wrong; --help tells more");
}

/* 0, or -1 where all is done, or the exit code. */
static int read_options(int count, char **arguments, struct options *options) {
  static const struct option known[] = {
      {"config", 1, NULL, 'c'},  {"images", 1, NULL, 'i'},      {"key", 1, NULL, 'k'},
      {"install", 1, NULL, 'n'}, {"counter-min", 1, NULL, 'm'}, {"heap-limit", 1, NULL, 'l'},
      {"abi", 0, NULL, 'a'},     {"help", 0, NULL, 'h'},       {NULL, 0, NULL, 0}};
  unsigned long limit = HEAP_LIMIT;
  int option;
  opterr = 0;
  while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
    if (option == 'c') options->config = optarg;
    else if (option == 'i') options->images = optarg;
    else if (option == 'k') options->key = optarg;
    else if (option == 'n') options->install = optarg;
    else if (option == 'm' && is_number(optarg, &options->counter_min)) continue;
    else if (option == 'l' && is_number(optarg, &limit)) continue;
    else if (option == 'a') return puts(PG_BOOT_ABI) < 0 ? EXIT_WRONG : -1;
    else if (option == 'h') return print_usage(), -1;
    else return misused(arguments[optind - 1]);
  }
  options->heap_limit = limit;
  if (optind < count) return misused(arguments[optind]);
  if (options->images && !options->key) return complain("--images", "needs --key");
  return options->install && !options->images ? complain("--install", "needs --images") : 0;
}

/* The image to run, where there are images. 0, or -1 where all is done, or the exit code. */
static int choose_image(const struct options *options, struct pg_boot_image *image) {
  if (!options->images) return 0;
  enum pg_image_result result =
      pg_boot_open(options->images, options->key, (uint32_t)options->counter_min);
  if (result != PG_IMAGE_OK) return complain(options->key, pg_image_result_name(result));
  if (!options->install) {
    result = pg_boot_choose(image);
    return result == PG_IMAGE_OK ? 0 : complain(options->images, pg_image_result_name(result));
  }
  result = pg_boot_install(options->install);
  if (result == PG_IMAGE_OK) return -1;
  return complain(options->install,
                  result == PG_IMAGE_NONE ? "does not exist" : pg_image_result_name(result));
}

int main(int count, char **arguments) {
  struct options options = {0};
  struct pg_boot_image image = {0};
  int wrong = read_options(count, arguments, &options);
  if (!wrong) wrong = choose_image(&options, &image);
  if (!wrong) wrong = load_config(&options, &image);
  if (!wrong) wrong = open_storage();
  if (!wrong) wrong = run_device(&options, &image);
  pg_storage_close();
  explicit_bzero(memory, sizeof memory);
  explicit_bzero(&config, sizeof config);
  return wrong == -1 ? 0 : wrong;
}
