/* Forgets a secret (wipe.h): unlike memset it is not left out where nobody reads the bytes any more. */
#include "wipe.h"

int main(void) {
  char secret[] = "a secret";
  pg_wipe(secret, sizeof secret);
  return secret[0];
}
