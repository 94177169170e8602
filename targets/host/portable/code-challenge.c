/* Code verifiers and challenges. Contract in code-challenge.h. */
#include "code-challenge.h"

#include "clock.h"
#include "wipe.h"

/* A verifier is of as many random bytes as its digest has: both are 43 characters (RFC 7636 section 4). */
enum { RANDOM_BYTES = PG_SHA256_BYTES, TEXT_SIZE = 43 };

/* What a server says that wants one: this, or `code_challenge_method`. */
static const char demand[] = "code_challenge";
enum { DEMAND_SIZE = sizeof demand - 1, ITS_BEGINNING_AGAIN = 6 };

/* 32 bytes in base64url without padding (RFC 7636 appendix A). */
static void write_text(uint8_t text[TEXT_SIZE], const uint8_t bytes[RANDOM_BYTES]) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (int i = 0; i < TEXT_SIZE; i++) {
    int bit = 6 * i;
    int at = bit >> 3;
    unsigned pair = (unsigned)bytes[at] << 8;
    if (at + 1 < RANDOM_BYTES) pair |= bytes[at + 1];
    text[i] = (uint8_t)alphabet[(pair >> (10 - (bit & 7))) & 63];
  }
}

void pg_challenge_open(struct pg_challenge *challenge, int is_wanted) {
  challenge->is_wanted = is_wanted;
  challenge->is_heard = 0;
  challenge->matched = 0;
}

int pg_challenge_make(const struct pg_challenge *challenge, uint8_t *range, size_t size) {
  uint8_t bytes[RANDOM_BYTES];
  if (!challenge->is_wanted) return 0;
  if (size < 2 * TEXT_SIZE || !pg_random(bytes, sizeof bytes)) return -1;
  write_text(range, bytes);
  int is_made = pg_sha256(range, TEXT_SIZE, bytes);
  if (is_made) write_text(range + size - TEXT_SIZE, bytes);
  else pg_wipe(range, TEXT_SIZE);
  pg_wipe(bytes, sizeof bytes);
  return is_made ? 1 : -1;
}

void pg_challenge_answer(struct pg_challenge *challenge, int is_for_code, int status) {
  challenge->is_heard = is_for_code && !challenge->is_wanted && status >= 400 && status <= 499;
  challenge->matched = 0;
}

void pg_challenge_hear(struct pg_challenge *challenge, const uint8_t *bytes, size_t size) {
  if (!challenge->is_heard) return;
  for (size_t i = 0; i < size && challenge->matched < DEMAND_SIZE; i++) {
    char c = (char)bytes[i];
    /* `code_c` ends with the letter that it begins with. */
    while (challenge->matched > 0 && c != demand[challenge->matched]) {
      challenge->matched = challenge->matched == ITS_BEGINNING_AGAIN ? 1 : 0;
    }
    if (c == demand[challenge->matched]) challenge->matched++;
  }
}

int pg_challenge_is_demanded(struct pg_challenge *challenge) {
  int is_demanded = challenge->is_heard && challenge->matched == DEMAND_SIZE;
  challenge->is_heard = 0;
  if (is_demanded) challenge->is_wanted = 1;
  return is_demanded;
}
