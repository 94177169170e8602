/* The command line. Contract in posix.h. */
#include "posix.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "picogrant.h"

int pg_complain(const char *what, const char *why) {
  fprintf(stderr, "picogrant-host: %s: %s\n", what, why);
  return PG_EXIT_WRONG;
}

/* Whether the text is a decimal number up to `most`. */
static int is_number(const char *text, uint64_t most, uint64_t *value) {
  char *end = NULL;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && errno == 0 && *value <= most;
}

static void print_usage(void) {
  fputs("usage: picogrant-host --config device.json [--heap-limit BYTES]\n"
        "       picogrant-host --page FILE [--page FILE] [--heap-limit BYTES]\n",
        stdout);
}

static int misused(const char *word) {
  return pg_complain(word, "no option, or its value is missing or wrong; --help tells more");
}

static int add_page(struct pg_options *options, const char *path) {
  for (int area = 0; area < PG_PAGE_AREAS; area++) {
    if (options->pages[area]) continue;
    options->pages[area] = path;
    return 1;
  }
  return 0;
}

static int take_limit(struct pg_options *options, const char *text) {
  uint64_t value = 0;
  if (!is_number(text, SIZE_MAX, &value)) return 0;
  options->heap_limit = (size_t)value;
  return 1;
}

int pg_read_options(int count, char **arguments, struct pg_options *options) {
  static const struct option known[] = {{"config", 1, NULL, 'c'},
                                        {"page", 1, NULL, 'p'},
                                        {"heap-limit", 1, NULL, 'l'},
                                        {"help", 0, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  int option;
  options->heap_limit = pg_heap_default;
  opterr = 0;
  while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
    if (option == 'c') options->config = optarg;
    else if (option == 'p' && add_page(options, optarg)) continue;
    else if (option == 'l' && take_limit(options, optarg)) continue;
    else if (option == 'h') return print_usage(), -1;
    else return misused(arguments[optind - 1]);
  }
  if (optind < count) return misused(arguments[optind]);
  if (!options->config == !options->pages[0]) {
    return pg_complain("--config", "name the device.json, or --page the settings page");
  }
  return 0;
}
