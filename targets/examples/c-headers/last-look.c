/* Whether a request may go where it is about to go (last-look.h). */
#include "last-look.h"

#include "picogrant-numbers.h"

int main(void) {
  static const char *const addresses[] = {"https://auth.example.com/device"};
  const struct pg_allowed allowed = {addresses, 1, 0};
  static struct pg_http_request request;
  struct pg_address sent;
  request.endpoint = PG_ENDPOINT_DEVICE_AUTHORIZATION;
  request.target = (const uint8_t *)"";
  if (!pg_address_split(addresses[0], &sent) || !pg_last_look(&request, &sent, &allowed)) return 1;
  if (!pg_address_split("https://auth.example.net/device", &sent)) return 2;
  return pg_last_look(&request, &sent, &allowed) ? 3 : 0;
}
