/* Why there is no connection, in words (reason.h). */
#include "reason.h"

#include <stdio.h>

int main(void) {
  uint8_t frame[16 * 2];
  if (!pg_reason_frame("", PG_REASON_NO_CABLE, frame, 16, 2)) return 1;
  printf("%.16s\n%.16s\n%s\n", (const char *)frame, (const char *)frame + 16, pg_reason_sentence(PG_REASON_NO_CABLE));
  return pg_reason_frame("", PG_REASON_NONE, frame, 16, 2) ? 2 : 0;
}
