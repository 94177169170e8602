/*
 * Proof Key for Code Exchange (RFC 7636), the host's part: whether the server is to have a code challenge, and the
 * verifier and the challenge themselves. Nothing is sent unasked: by the maker's setting, or once the server has
 * refused a request for a code with words that name `code_challenge`.
 */
#ifndef PICOGRANT_CODE_CHALLENGE_H
#define PICOGRANT_CODE_CHALLENGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's, one for each device; the fields are code-challenge.c's own. */
struct pg_challenge {
  int is_wanted;
  int is_heard; /* the answer is a refusal of a request for a code without a challenge */
  int matched;  /* how much of `code_challenge` the bytes so far end with */
};

/* A device begins. `is_wanted`: each request for a code has a challenge. */
void pg_challenge_open(struct pg_challenge *challenge, int is_wanted);

/*
 * PG_COMMAND_CHALLENGE: a fresh verifier to the beginning of `range`, its challenge to the end of the `size` bytes.
 * What pg_storage_done is told: 1 made, 0 none is to be sent, -1 there is no random source or no SHA-256.
 */
int pg_challenge_make(const struct pg_challenge *challenge, uint8_t *range, size_t size);

/* An answer begins; `is_for_code`: to a request for a code. */
void pg_challenge_answer(struct pg_challenge *challenge, int is_for_code, int status);

/* A piece of its body. */
void pg_challenge_hear(struct pg_challenge *challenge, const uint8_t *bytes, size_t size);

/* It is complete. 1 where it asks for a challenge, once: from now on there is one. */
int pg_challenge_is_demanded(struct pg_challenge *challenge);

#ifdef __cplusplus
}
#endif

#endif
