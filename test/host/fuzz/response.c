/* Fuzzes the parser of HTTP responses. The first byte of the input determines the size of the pieces in which the
 * parser gets the rest. The result must be the same as for the whole response, and must follow http-response.h. */
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "http-response.h"

enum { BODY_MAX = 300 };

struct seen {
  int statuses;
  int status;
  int retry_after_s;
  size_t body_size;
  uint8_t body[BODY_MAX];
  uint32_t challenges;
  enum pg_http_response_result result;
  enum pg_http_response_result closed;
};

static void take_status(void *context, int status, int retry_after_s) {
  struct seen *seen = context;
  check(status >= 200 && status <= 599 && retry_after_s >= -1, "a status is of HTTP");
  seen->statuses++;
  seen->status = status;
  seen->retry_after_s = retry_after_s;
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  struct seen *seen = context;
  check(seen->statuses == 1 && size > 0, "the body comes behind one status");
  check(size <= BODY_MAX - seen->body_size, "the body stays within its capacity");
  memcpy(seen->body + seen->body_size, bytes, size);
  seen->body_size += size;
}

/* Updates a hash of the bytes and their order. */
static void take_challenge(void *context, uint8_t c) {
  struct seen *seen = context;
  check(seen->statuses == 0, "challenges and nonces come ahead of the status");
  seen->challenges = seen->challenges * 31 + c;
}

/* Reads the response in pieces. Each piece has its own allocation, so that a read beyond its end is detected. */
static void read_in_pieces(const uint8_t *bytes, size_t size, size_t piece, struct seen *into) {
  static const struct pg_http_response_sink sink = {take_status, take_body, take_challenge, take_challenge};
  struct pg_http_response response;
  memset(into, 0, sizeof *into);
  pg_http_response_start(&response, &sink, into, BODY_MAX, 1000000000);
  for (size_t at = 0; at < size; at += piece) {
    size_t length = size - at < piece ? size - at : piece;
    uint8_t *copy = malloc(length);
    memcpy(copy, bytes + at, length);
    into->result = pg_http_response_read(&response, copy, length);
    free(copy);
  }
  into->closed = pg_http_response_closed(&response);
  check(into->result == PG_HTTP_RESPONSE_MORE || into->closed == into->result, "nothing changes after the end");
  check(into->closed != PG_HTTP_RESPONSE_MORE, "nothing changes after the end");
  check(into->closed == PG_HTTP_RESPONSE_INVALID || into->statuses == 1, "the body comes behind one status");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static struct seen whole;
  static struct seen pieces;
  if (size < 2) return 0;
  read_in_pieces(bytes + 1, size - 1, size - 1, &whole);
  read_in_pieces(bytes + 1, size - 1, (size_t)bytes[0] % 40 + 1, &pieces);
  /* A refused response must have the same status and challenges in both cases. The reported part of its body may differ. */
  check(whole.closed == pieces.closed && whole.statuses == pieces.statuses, "pieces change nothing");
  check(whole.status == pieces.status && whole.retry_after_s == pieces.retry_after_s, "pieces change nothing");
  check(whole.challenges == pieces.challenges, "pieces change nothing");
  if (whole.closed == PG_HTTP_RESPONSE_INVALID) return 0;
  check(whole.body_size == pieces.body_size, "pieces change nothing");
  check(memcmp(whole.body, pieces.body, whole.body_size) == 0, "pieces change nothing");
  return 0;
}
