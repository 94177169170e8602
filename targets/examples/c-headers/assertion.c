/* Says what must hold in this file itself (assertion.h). Without -DPG_ASSERTIONS it costs nothing. */
#include "assertion.h"

static int half_of(int even) {
  PG_MUST(even % 2 == 0, "only even numbers have a half");
  return even / 2;
}

int main(void) { return half_of(8) == 4 ? 0 : 1; }
