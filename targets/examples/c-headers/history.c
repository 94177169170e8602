/* Prints what happened last, for support (history.h). */
#include "history.h"

#include <stdio.h>

#include "picogrant-numbers.h"

int main(void) {
  static struct pg_history history;
  char line[PG_HISTORY_LINE];
  int count = 0;
  pg_history_note(&history, PG_HAPPENED_STATE, PG_STATE_REQUESTING, 0, PG_ERROR_CODE_NONE);
  pg_history_note(&history, PG_HAPPENED_ANSWERED, PG_ENDPOINT_TOKEN, 400, PG_ERROR_CODE_NONE);
  pg_history_note(&history, PG_HAPPENED_ANSWERED, PG_ENDPOINT_TOKEN, 400, PG_ERROR_CODE_NONE);
  while (pg_history_line(&history, count, line)) {
    puts(line);
    count++;
  }
  /* What repeats is one line. */
  return count == 2 ? 0 : 1;
}
