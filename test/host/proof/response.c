/* Proves the parser of HTTP responses, for any number of pieces of 0 to PIECE bytes with any values, and optionally the
 * end of the connection. A piece ends at the end of its buffer, so that a read beyond the buffer is detected. */
#include "proof.h"

#include "http-response.h"

enum { PIECE = 8 };

static uint8_t buffer[PIECE];

static void take_status(void *context, int status, int retry_after_s) {
  //@ assert status_is_of_http: 200 <= status <= 599;
  //@ assert wait_fits: -1 <= retry_after_s <= 134217727;
  (void)context;
  (void)status;
  (void)retry_after_s;
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  //@ assert lent: \valid_read(bytes + (0 .. size - 1));
  (void)context;
  (void)bytes;
  (void)size;
}

static void take_challenge(void *context, uint8_t c) {
  (void)context;
  (void)c;
}

static const struct pg_http_response_sink sink = {take_status, take_body, take_challenge};

void prove(void) {
  struct pg_http_response response;
  size_t size = 0;
  pg_http_response_start(&response, &sink, NULL, any_number(0, 0xffffffff), any_number(0, 0xffffffff));
  //@ widen_hints global:"all", 63, 64, 599, 65536, 134217727;
  while (any_choice()) {
    //@ merge size;
    size = any_number(0, PIECE);
    //@ split size;
    any_bytes(buffer, PIECE);
    pg_http_response_read(&response, buffer + PIECE - size, size);
  }
  if (any_choice()) pg_http_response_closed(&response);
}
