/* Whether a server is to have a code challenge (code-challenge.h): once it has refused a request without one. */
#include "code-challenge.h"

#include <string.h>

int main(void) {
  struct pg_challenge challenge;
  uint8_t range[86];
  const char refusal[] = "{\"error\":\"invalid_request\",\"error_description\":\"code_challenge is required\"}";
  pg_challenge_open(&challenge, 0);
  /* Unasked there is none. */
  if (pg_challenge_make(&challenge, range, sizeof range) != 0) return 1;
  pg_challenge_answer(&challenge, 1, 400);
  pg_challenge_hear(&challenge, (const uint8_t *)refusal, strlen(refusal));
  if (!pg_challenge_is_demanded(&challenge)) return 2;
  /* Now there is one, or -1 where the board has no source of chance, as here (clock.c). */
  return pg_challenge_make(&challenge, range, sizeof range) == -1 ? 0 : 3;
}
