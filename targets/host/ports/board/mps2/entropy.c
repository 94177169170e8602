/*
 * Randomness on a board that has no generator of it.
 *
 * The maker's page brings a seed, different on each board, and a seed is kept in the EEPROM, which is replaced at each
 * start before anything is drawn from it, so that no start repeats another. Both go in, and the time of day. Without any
 * seed the board refuses TLS.
 *
 * A board with a generator (RNG of an STM32, esp_random of an ESP32) fills the seed from that instead.
 */
#include <bearssl.h>
#include <string.h>

#include "board.h"
#include "clock.h"

enum { SEED_BYTES = 32, SEED_AT = BOARD_EEPROM_BYTES - 64 };

static br_hmac_drbg_context generator;
static int is_seeded;

/* Every byte of a seed alike: never programmed. */
static int is_blank(const uint8_t *seed) {
  for (size_t i = 1; i < SEED_BYTES; i++) {
    if (seed[i] != seed[0]) return 0;
  }
  return 1;
}

int board_entropy_open(const uint8_t *given, size_t given_size) {
  uint8_t seed[SEED_BYTES];
  uint32_t now = pg_clock_wall_s();
  br_hmac_drbg_init(&generator, &br_sha256_vtable, &now, sizeof now);
  int has_kept = board_eeprom_read(SEED_AT, seed, sizeof seed) && !is_blank(seed);
  if (has_kept) br_hmac_drbg_update(&generator, seed, sizeof seed);
  int has_given = given_size >= SEED_BYTES;
  if (has_given) br_hmac_drbg_update(&generator, given, given_size);
  if (has_kept || has_given) {
    /* A seed that cannot be replaced would be used twice. */
    br_hmac_drbg_generate(&generator, seed, sizeof seed);
    is_seeded = board_eeprom_write(SEED_AT, seed, sizeof seed);
  }
  memset(seed, 0, sizeof seed);
  return is_seeded;
}

int pg_random(uint8_t *bytes, size_t size) {
  if (!is_seeded) return 0;
  br_hmac_drbg_generate(&generator, bytes, size);
  return 1;
}
