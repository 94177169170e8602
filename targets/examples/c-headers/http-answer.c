/* Reads an answer as it comes, in pieces of any size (http-answer.h). */
#include "http-answer.h"

#include <string.h>

struct seen {
  int status;
  int retry_after_s;
  size_t body;
};

static void take_status(void *context, int status, int retry_after_s) {
  struct seen *seen = (struct seen *)context;
  seen->status = status;
  seen->retry_after_s = retry_after_s;
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  struct seen *seen = (struct seen *)context;
  (void)bytes;
  seen->body += size;
}

int main(void) {
  static const struct pg_answer_sink sink = {take_status, take_body, NULL};
  const char bytes[] = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nwait";
  struct seen seen = {0, 0, 0};
  struct pg_answer answer;
  enum pg_answer_result result = PG_ANSWER_MORE;
  pg_answer_start(&answer, &sink, &seen, 1024, 0);
  for (size_t at = 0; at < sizeof bytes - 1; at++) {
    result = pg_answer_read(&answer, (const uint8_t *)bytes + at, 1);
  }
  return result == PG_ANSWER_END && seen.status == 503 && seen.retry_after_s == 7 && seen.body == 4 ? 0 : 1;
}
