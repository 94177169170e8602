/* Parses one HTTP response and prints what the parser reports. Usage: response PIECE BODY-MAX CLOCK < bytes. PIECE is
 * the number of bytes that are passed at a time; 0: all at once. Output: lines `challenge TEXT`, `status S R` (R:
 * seconds of Retry-After) and `body TEXT`. Then `end`, the reason of a refusal, or `more`. ` closed ` is followed by
 * the result after the end of the connection. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http-response.h"
#include "picogrant-numbers.h"

static uint8_t input[200000];
static uint8_t body[200000];
static size_t body_size;

static void take_status(void *context, int status, int retry_after_s) {
  (void)context;
  printf("status %d %d\n", status, retry_after_s);
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  memcpy(body + body_size, bytes, size);
  body_size += size;
}

static void take_challenge(void *context, uint8_t c) {
  (void)context;
  static int is_in_line;
  if (!is_in_line) printf("challenge ");
  is_in_line = c != '\n';
  putchar(c);
}

static const char *word_of(const struct pg_http_response *response, enum pg_http_response_result result) {
  static const char *const reasons[] = PG_REASON_NAMES;
  if (result == PG_HTTP_RESPONSE_INVALID) return reasons[response->reason];
  return result == PG_HTTP_RESPONSE_END ? "end" : "more";
}

int main(int count, char **arguments) {
  static const struct pg_http_response_sink sink = {take_status, take_body, take_challenge};
  struct pg_http_response response;
  if (count != 4) return 2;
  size_t piece = strtoul(arguments[1], NULL, 10);
  size_t size = fread(input, 1, sizeof input, stdin);
  enum pg_http_response_result result = PG_HTTP_RESPONSE_MORE;
  pg_http_response_start(&response, &sink, NULL, (uint32_t)strtoul(arguments[2], NULL, 10),
                  (uint32_t)strtoul(arguments[3], NULL, 10));
  if (piece == 0) piece = size;
  for (size_t at = 0; at < size; at += piece) {
    result = pg_http_response_read(&response, input + at, size - at < piece ? size - at : piece);
  }
  printf("body %.*s\n%s closed ", (int)body_size, (const char *)body, word_of(&response, result));
  result = pg_http_response_closed(&response);
  printf("%s\n", word_of(&response, result));
  return 0;
}
