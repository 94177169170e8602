/* Takes an address apart (address.h). */
#include "address.h"

int main(void) {
  struct pg_address address;
  if (!pg_address_split("https://auth.example.com:8443/token", &address)) return 1;
  if (address.peer.port != 8443 || !address.peer.is_secure || address.path[0] != '/') return 2;
  if (pg_address_is_own(&address)) return 3;
  /* No user, no fragment. */
  return pg_address_split("https://somebody@example.com/", &address) ? 4 : 0;
}
