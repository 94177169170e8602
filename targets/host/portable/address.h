/* Splits the address of a server into its parts: `https://host:port/path?query`, or the same with http. */
#ifndef PICOGRANT_ADDRESS_H
#define PICOGRANT_ADDRESS_H

#include <stddef.h>

#include "picogrant-port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The parts of an address. They point into the text that was split. */
struct pg_address {
  struct pg_peer peer;
  const char *authority; /* host and port as written; the value of the Host header */
  size_t authority_size;
  const char *path; /* path and query, up to the end; may be empty */
};

/* Splits an address. Returns 1, or 0 if it is invalid or contains `#`, `@`, `\` or anything but visible ASCII. */
int pg_address_split(const char *text, struct pg_address *address);

/* Whether the peer is this device itself: localhost, 127.0.0.1 or [::1]. */
int pg_address_is_own(const struct pg_address *address);

#ifdef __cplusplus
}
#endif

#endif
