#include "posix.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picogrant-port.h"
#include "picogrant.h"

int pg_complain(const char *what, const char *why) {
  fprintf(stderr, "picogrant-host: %s: %s\n", what, why);
  return PG_EXIT_WRONG;
}

static int is_number(const char *text, uint64_t most, uint64_t *value) {
  char *end = NULL;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && errno == 0 && *value <= most;
}

static void print_usage(void) {
  fputs("usage: picogrant-host --page FILE [--page FILE]\n"
        "  --heap-limit BYTES   of a core on an engine\n",
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
  static const struct option known[] = {{"page", 1, NULL, 'p'},
                                        {"heap-limit", 1, NULL, 'l'},
                                        {"help", 0, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  int option;
  opterr = 0;
  while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
    if (option == 'p' && add_page(options, optarg)) continue;
    else if (option == 'l' && take_limit(options, optarg)) continue;
    else if (option == 'h') return print_usage(), -1;
    else return misused(arguments[optind - 1]);
  }
  if (optind < count) return misused(arguments[optind]);
  if (options->pages[0]) return 0;
  return pg_complain("--page", "name a settings page; picogrant configure --page makes one from a device.json");
}

static uint8_t areas[PG_PAGE_AREAS][PG_PAGE_BYTES];
/* Base64 has four characters for three bytes, and 64 characters in a line. Each certificate has two more lines. */
static char pem[PG_PAGE_BYTES * 3 / 2 + PG_PAGE_AUTHORITIES * 64];

/* Reads an area. The result is empty if `file` is NULL, or if there is a problem, which is stored in `*why`. */
static struct pg_page_bytes read_area(const char *file, uint8_t area[PG_PAGE_BYTES], const char **why) {
  struct stat status = {0};
  size_t size = file ? pg_read_file(file, area, PG_PAGE_BYTES, &status) : 0;
  *why = size ? pg_owners_problem(file, &status) : NULL;
  if (size && !*why && (status.st_mode & S_IRWXO)) *why = "every user can read the secrets in it; run chmod 640 on it";
  if (file && !size) *why = "is no file that can be read, or is empty or too long";
  return (struct pg_page_bytes){area, *why ? 0 : size};
}

/* Writes base64 in lines as in RFC 7468, without a line end after the last line. */
static size_t put_base64(char *to, struct pg_page_bytes der) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t length = 0;
  for (size_t at = 0; at < der.size; at += 3) {
    uint32_t three = 0;
    if (at > 0 && at % 48 == 0) to[length++] = '\n';
    for (size_t i = at; i < at + 3; i++) three = three << 8 | (i < der.size ? der.bytes[i] : 0);
    for (int digit = 0; digit < 4; digit++) {
      int is_there = at + (size_t)digit <= der.size;
      to[length++] = is_there ? digits[three >> (18 - 6 * digit) & 63] : '=';
    }
  }
  return length;
}

static struct pg_trust trust_of(const struct pg_page *page) {
  size_t size = 0;
  for (size_t i = 0; i < page->authority_count; i++) {
    size += (size_t)sprintf(pem + size, "-----BEGIN CERTIFICATE-----\n");
    size += put_base64(pem + size, page->authorities[i].certificate);
    size += (size_t)sprintf(pem + size, "\n-----END CERTIFICATE-----\n");
  }
  return (struct pg_trust){.pem = pem, .pem_size = size};
}

int pg_pages_open(struct pg_page *page, const char *const files[PG_PAGE_AREAS], struct pg_trust *trust, int *refused) {
  struct pg_page_bytes bytes[PG_PAGE_AREAS];
  const char *why[PG_PAGE_AREAS];
  enum pg_page_result results[PG_PAGE_AREAS];
  pg_process_lock(areas, sizeof areas);
  for (int area = 0; area < PG_PAGE_AREAS; area++) bytes[area] = read_area(files[area], areas[area], &why[area]);
  int chosen = pg_page_choose(page, bytes, PG_MEMORY_MAX, results);
  *refused = 0;
  for (int area = 0; area < PG_PAGE_AREAS; area++) {
    if (bytes[area].size && results[area] != PG_PAGE_OK) why[area] = pg_page_problem(results[area]);
    if (why[area]) *refused += pg_complain(files[area], why[area]) != 0;
  }
  if (chosen < 0) return 0;
  *trust = trust_of(page);
  return 1;
}

void pg_pages_close(void) { pg_wipe(areas, sizeof areas); }
