/* How long a server wants to be left alone (http-date.h). */
#include "http-date.h"

#include <string.h>

int main(void) {
  const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
  int64_t seconds = 0;
  if (!pg_http_date(date, strlen(date), &seconds) || seconds != 784111777) return 1;
  if (pg_retry_after("120", 3, 0) != 120) return 2;
  /* A date counts from the answer's own. */
  return pg_retry_after(date, strlen(date), seconds - 30) == 30 ? 0 : 3;
}
