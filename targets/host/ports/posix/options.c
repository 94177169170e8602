/* The command line. Contract in options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "image-abi.h"
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
        "       picogrant-host --images DIRECTORY --product NAME --key PUBLIC-KEY-FILE\n"
        "                      [--key NEWER-KEY-FILE]... [--counter-min N] ...\n"
        "       picogrant-host --images DIRECTORY --product NAME --key FILE --install IMAGE\n"
        "       picogrant-host --abi\n",
        stdout);
}

static int misused(const char *word) {
  return pg_complain(word, "no option, or its value is missing or wrong; --help tells more");
}

static int add_key(struct pg_images_options *images, const char *path) {
  if (images->key_count == PG_KEYS_MAX) return 0;
  images->key_files[images->key_count++] = path;
  return 1;
}

/* Whether a number could be taken for its option. */
static int take_number(int option, const char *text, struct pg_options *options) {
  uint64_t value = 0;
  if (option == 'm') {
    if (!is_number(text, UINT32_MAX, &value)) return 0;
    options->images.counter_min = (uint32_t)value;
    return 1;
  }
  if (option != 'l' || !is_number(text, SIZE_MAX, &value)) return 0;
  options->heap_limit = (size_t)value;
  return 1;
}

int pg_read_options(int count, char **arguments, struct pg_options *options) {
  static const struct option known[] = {
      {"config", 1, NULL, 'c'},  {"images", 1, NULL, 'i'},      {"key", 1, NULL, 'k'},
      {"install", 1, NULL, 'n'}, {"counter-min", 1, NULL, 'm'}, {"heap-limit", 1, NULL, 'l'},
      {"product", 1, NULL, 'p'}, {"abi", 0, NULL, 'a'},         {"help", 0, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  int option;
  options->heap_limit = pg_heap_default;
  opterr = 0;
  while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
    if (option == 'c') options->config = optarg;
    else if (option == 'i') options->images.directory = optarg;
    else if (option == 'p') options->images.product = optarg;
    else if (option == 'k' && add_key(&options->images, optarg)) continue;
    else if (option == 'n') options->install = optarg;
    else if (optarg && take_number(option, optarg, options)) continue;
    else if (option == 'a') return puts(PG_IMAGE_ABI) < 0 ? PG_EXIT_WRONG : -1;
    else if (option == 'h') return print_usage(), -1;
    else return misused(arguments[optind - 1]);
  }
  if (optind < count) return misused(arguments[optind]);
  if (!options->images.directory) {
    return options->install ? pg_complain("--install", "needs --images") : 0;
  }
  if (options->images.key_count && options->images.product) return 0;
  return pg_complain("--images", "needs --key and --product");
}
