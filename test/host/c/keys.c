/* Writes a proof and an assertion (keys.h). Usage: keys KEY METHOD ADDRESS TARGET TOKEN NONCE WALL-S SIZE SIGNER. SIZE
 * is the capacity of each of the two buffers. SIGNER is `valid`, `failed` or `short`. Output: the proof and the
 * assertion in a line each, or `-` if writing has failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "posix.h"

static int fail(void *context, const uint8_t *bytes, size_t size, uint8_t signature[PG_SIGNATURE_BYTES]) {
  (void)bytes;
  (void)size;
  memset(signature, 1, PG_SIGNATURE_BYTES);
  return *(const char *)context == 's' ? 63 : 0;
}

int main(int count, char **arguments) {
  struct pg_signer signer;
  if (count != 10) return 2;
  const char *why = pg_signer_open(&signer, arguments[1]);
  if (why) return fprintf(stderr, "%s\n", why), 1;
  if (*arguments[9] != 'v') {
    signer.sign = fail;
    signer.context = arguments[9];
  }
  const struct pg_proof proof = {
      .method = arguments[2],
      .address = arguments[3],
      .target = (const uint8_t *)arguments[4],
      .target_size = strlen(arguments[4]),
      .token = (const uint8_t *)arguments[5],
      .token_size = strlen(arguments[5]),
      .nonce = arguments[6],
      .wall_s = (uint32_t)strtoul(arguments[7], NULL, 10),
  };
  size_t size = strtoul(arguments[8], NULL, 10);
  char *to = malloc(size);
  puts(pg_proof_write(&signer, &proof, to, size) ? strtok(to, "\r\n") : "-");
  puts(pg_assertion_write(&signer, "a \"client\"", arguments[3], proof.wall_s, to, size) ? to : "-");
  free(to);
  pg_signer_close();
  return 0;
}
