/*
 * history.h from a list of what happens: a line of standard input is `milliseconds what who number error`, times over
 * the last number. Prints the history at its end.
 */
#include "history.h"

#include <stdint.h>
#include <stdio.h>

#include "clock.h"

static uint32_t now_ms;

uint32_t pg_clock_ms(void) { return now_ms; }

int main(void) {
  struct pg_history history;
  unsigned long ms;
  int what;
  int who;
  int number;
  int error;
  int times;
  char line[PG_HISTORY_LINE];
  pg_history_open(&history);
  while (scanf("%lu %d %d %d %d %d", &ms, &what, &who, &number, &error, &times) == 6) {
    now_ms = (uint32_t)ms;
    while (times-- > 0) pg_history_note(&history, (enum pg_happened)what, who, number, error);
  }
  for (int i = 0; pg_history_line(&history, i, line); i++) puts(line);
  if (pg_history_line(&history, -1, line) || *line) return 1;
  return 0;
}
