/*
 * Authenticates the device with a key instead of a secret: proofs of possession (DPoP, RFC 9449) and client assertions
 * (private_key_jwt, RFC 7523 section 3), signed with a P-256 key that only the signer has. To use this layer, compile
 * all files with -DPG_KEYS.
 *
 * The layer is between driver.h and http.h. With DPoP, it adds a proof to token requests and API calls, and refuses
 * tokens that the server does not bind to the key. If a server requires a nonce, this layer repeats the request once
 * with the nonce. It stores two nonces: the newest one of the authorization server, and of the resource server (RFC
 * 9449 sections 8 and 9).
 */
#ifndef PICOGRANT_KEYS_H
#define PICOGRANT_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "http.h"
#include "picogrant-port.h"
#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PG_COORDINATE_BYTES = 32, PG_SIGNATURE_BYTES = 64 };

/* The device's key, in a secure element, a key store, or memory. Owned by the caller. */
struct pg_signer {
  /* ES256 (RFC 7518 section 3.4): signs the SHA-256 of `bytes`.
   * @return PG_SIGNATURE_BYTES, the size of r and s together; any other number after a failure */
  int (*sign)(void *context, const uint8_t *bytes, size_t size, uint8_t signature[PG_SIGNATURE_BYTES]);
  void *context;
  uint8_t x[PG_COORDINATE_BYTES]; /* the device's public key */
  uint8_t y[PG_COORDINATE_BYTES];
};

/* The buffer sizes for a nonce, for a proof with its header's name, and for an assertion with its parameters' names,
 * each with a 0 at the end; and the number of error codes that keys.c recognizes. */
enum { PG_NONCE_BYTES = 257, PG_PROOF_BYTES = 1536, PG_ASSERTION_BYTES = 1280, PG_REJECTIONS = 4 };

/* The content of a proof. */
struct pg_proof {
  const char *method;
  const char *address;   /* the request's address, as in struct pg_http_request */
  const uint8_t *target;
  size_t target_size;
  const uint8_t *token;  /* the request's access token; `token_size` 0: none */
  size_t token_size;
  const char *nonce;     /* the server's nonce; "": none */
  uint32_t wall_s;       /* seconds since 1970 */
};

/* pg_proof_write writes the proof as a header line. pg_assertion_write writes the assertion as parameters, which are
 * appended to a form. The caller owns `to`, a buffer of `size` bytes. The text ends with a 0.
 * @return 1, or 0 if the text does not fit, the address of a proof is invalid, there are no random bytes, the token of a
 * proof needs SHA-256 and there is none, or the signer has failed */
int pg_proof_write(const struct pg_signer *signer, const struct pg_proof *proof, char *to, size_t size);
int pg_assertion_write(const struct pg_signer *signer, const char *client_id, const char *audience, uint32_t wall_s,
                       char *to, size_t size);

/* The state of this layer, one for each device. Only keys.c uses the fields. */
struct pg_keys {
  const struct pg_signer *signer;
  const struct pg_settings *settings;
  struct pg_http *http;
  const struct pg_http_sink *sink;
  void *context;
  const struct pg_medium *medium;
  struct pg_medium marking_medium; /* the medium that pg_keys_medium returns */
  int has_own_record;   /* a record of the device's key was loaded, or the server has bound tokens to the key */
  int has_other_record; /* a record of another key was loaded, and no code has been requested since */
  char nonces[2][PG_NONCE_BYTES]; /* the last nonces of the authorization server and of the resource server */
  char proof[PG_PROOF_BYTES];
  char assertion[PG_ASSERTION_BYTES];
  int32_t ahead_s; /* added to the device's time; changes when the server's time differs from the sum by more than a minute */
  int clock_rejections; /* how many responses in succession rejected a request and showed another time; at most 3 */
  /* The state of the current exchange. */
  uint32_t sent_s; /* the time in the request's proof or assertion, which includes `ahead_s` */
  int is_signed;
  int is_resource;
  int is_repeated;
  size_t nonce_size; /* size of the nonce that is arriving */
  int has_nonce;     /* the response had a valid nonce */
  int status;
  int is_dropped;    /* neither the status nor the body of the response is reported */
  int is_late;       /* the response's Date differs from `sent_s` by more than a minute */
  int found;         /* a bit for each rejection that the response names */
  uint8_t found_at[PG_REJECTIONS];
  uint8_t type_at;   /* position in the name or the value of the member token_type */
};

/* Prepares for the exchanges of a device. `sink` gets the reports, with `context`. */
void pg_keys_open(struct pg_keys *keys, const struct pg_signer *signer, const struct pg_settings *settings,
                  struct pg_http *http, const struct pg_http_sink *sink, void *context);

/* Returns the medium for storage.h. With DPoP, this is a wrapper of `medium` (which may be NULL) that marks records
 * with a number of the key to which their tokens are bound. Hosts without keys treat marked records as damaged. */
const struct pg_medium *pg_keys_medium(struct pg_keys *keys, const struct pg_medium *medium);

/* Whether the session is from a record of another key, so that the server may have refused its tokens. */
int pg_keys_replaced(const struct pg_keys *keys);

/* pg_keys_complete is the function `complete` of struct pg_http_settings. pg_keys_sink is a sink for pg_http_open. The
 * context of both is a struct pg_keys. */
int pg_keys_complete(void *keys, struct pg_http_request *request, int is_repeated);
extern const struct pg_http_sink pg_keys_sink;

#ifdef __cplusplus
}
#endif

#endif
