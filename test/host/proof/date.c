/* Dates and Retry-After: a text of 0 to LONGEST bytes of any value, at the very end of its buffer. */
#include "proof.h"

#include "http-answer.h"

enum { LONGEST = 64 };

static char text[LONGEST];

void prove(void) {
  int64_t seconds = 0;
  int64_t from_s = any_seconds();
  size_t size = any_number(0, LONGEST);
  //@ split size;
  any_bytes((uint8_t *)text, LONGEST);
  int wait_s = pg_retry_after(text + LONGEST - size, size, from_s);
  //@ assert wait_fits: -1 <= wait_s <= 134217727;
  if (pg_http_date(text + LONGEST - size, size, &seconds)) {
    //@ assert seconds_fit: -100000000000 <= seconds <= 300000000000;
  }
  (void)wait_s;
}
