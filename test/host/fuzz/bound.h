/* Checks for the fuzzers. A failed check prints its name, so that a test can tell which planted fault the fuzzer found. */
#ifndef PICOGRANT_BOUND_H
#define PICOGRANT_BOUND_H

#include <stdio.h>
#include <stdlib.h>

#include "settings.h"

static void check(int holds, const char *bound) {
  if (holds) return;
  fprintf(stderr, "must hold: %s\n", bound);
  abort();
}

static inline void check_number(int value, int low, int high) { check(value >= low && value <= high, "numbers are in their range"); }

static inline void check_numbers(const struct pg_settings *settings) {
  check_number(settings->columns, 16, 80);
  check_number(settings->rows, 2, 8);
  check_number(settings->memory_bytes, 2048, PG_MEMORY_MAX);
  check_number(settings->connect_seconds, 1, 60);
  check_number(settings->exchange_seconds, 1, 110);
  check_number(settings->response_bytes, 1024, 1048576);
  check_number(settings->renewals, 0, 1000);
  check_number(settings->start_spread_ms, PG_START_AT_ONCE, 3600000);
  check_number(settings->auto_start, 0, 1);
  check_number(settings->client_authentication, PG_CLIENT_AUTHENTICATION_NONE, PG_CLIENT_AUTHENTICATION_SPECIFICATION);
}

#endif
