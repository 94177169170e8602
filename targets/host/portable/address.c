#include "address.h"

#include <string.h>

/* Parses a decimal number from 1 to 65535. Returns 0 if it is invalid. */
static uint16_t port_of(const char *text, const char *end) {
  uint32_t port = 0;
  if (end - text > 5) return 0;
  for (; text < end; text++) {
    if (*text < '0' || *text > '9') return 0;
    port = port * 10 + (uint32_t)(*text - '0');
  }
  return port > 65535 ? 0 : (uint16_t)port;
}

static int is_allowed(const char *text) {
  for (; *text; text++) {
    if (*text < 33 || *text > 126 || strchr("#@\\", *text)) return 0;
  }
  return 1;
}

/* Returns the end of the host, and skips the `[` of an IPv6 address. Returns NULL if the `]` is missing. */
static const char *end_of_host(const char **host, const char *end) {
  if (**host == '[') {
    ++*host;
    return memchr(*host, ']', (size_t)(end - *host));
  }
  const char *colon = memchr(*host, ':', (size_t)(end - *host));
  return colon ? colon : end;
}

int pg_address_split(const char *text, struct pg_address *address) {
  struct pg_peer *peer = &address->peer;
  peer->is_secure = strncmp(text, "https://", 8) == 0;
  if ((!peer->is_secure && strncmp(text, "http://", 7) != 0) || !is_allowed(text)) return 0;
  const char *host = text + (peer->is_secure ? 8 : 7);
  const char *end = host + strcspn(host, "/?");
  address->authority = host;
  address->authority_size = (size_t)(end - host);
  address->path = end;
  const char *host_end = end_of_host(&host, end);
  if (!host_end || host_end == host) return 0;
  peer->host = host;
  peer->host_size = (size_t)(host_end - host);
  const char *rest = host_end < end && *host_end == ']' ? host_end + 1 : host_end;
  peer->port = peer->is_secure ? 443 : 80;
  if (rest < end) peer->port = *rest == ':' ? port_of(rest + 1, end) : 0;
  return peer->port != 0;
}

static int host_is(const struct pg_peer *peer, const char *name) {
  return peer->host_size == strlen(name) && memcmp(peer->host, name, peer->host_size) == 0;
}

int pg_address_is_own(const struct pg_address *address) {
  const struct pg_peer *peer = &address->peer;
  return host_is(peer, "localhost") || host_is(peer, "127.0.0.1") || host_is(peer, "::1");
}
