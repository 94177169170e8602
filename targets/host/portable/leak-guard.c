/* The last check before a request is sent. It compares addresses without address.c, so that a fault there cannot send a
 * secret to another server. */
#include "http.h"

#include <string.h>

#include "picogrant-numbers.h"

/* SECRET_BYTES_MIN: a shorter value may occur in a path by chance. Tokens should be longer (RFC 6749 section 10.10). */
enum { SECRET_BYTES_MIN = 16, PORT_HTTP = 80, PORT_HTTPS = 443 };

static int is_of_host(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr(".-_[]:", c));
}

/* Whether `text`, which follows the host in an authority, names the peer's port: a colon and the number, or nothing for
 * the scheme's default port. */
static int is_port(const char *text, size_t size, const struct pg_peer *peer) {
  uint32_t port = 0;
  if (size == 0) return peer->port == (peer->is_secure ? PORT_HTTPS : PORT_HTTP);
  if (text[0] != ':' || size < 2 || size > 6) return 0;
  for (size_t i = 1; i < size; i++) {
    if (text[i] < '0' || text[i] > '9') return 0;
    port = port * 10 + (uint32_t)(text[i] - '0');
  }
  return port == peer->port;
}

/* Whether the connection goes to the host and port in the request's authority. */
static int is_peer(const struct pg_address *sent) {
  const struct pg_peer *peer = &sent->peer;
  const char *text = sent->authority;
  size_t size = sent->authority_size;
  size_t brackets = size > 0 && text[0] == '[' ? 1 : 0;
  for (size_t i = 0; i < size; i++) {
    if (!is_of_host(text[i])) return 0;
  }
  if (peer->host_size == 0 || size < peer->host_size + 2 * brackets) return 0;
  if (memcmp(text + brackets, peer->host, peer->host_size) != 0) return 0;
  text += brackets + peer->host_size;
  if (brackets && *text++ != ']') return 0;
  return is_port(text, size - peer->host_size - 2 * brackets, peer);
}

int pg_is_origin(const struct pg_address *sent, const char *allowed) {
  const char *scheme = sent->peer.is_secure ? "https://" : "http://";
  size_t length = strlen(scheme);
  if (strncmp(allowed, scheme, length) != 0) return 0;
  allowed += length;
  if (strncmp(allowed, sent->authority, sent->authority_size) != 0) return 0;
  return memchr("/?", allowed[sent->authority_size], sizeof "/?") != NULL;
}

static int is_own(const struct pg_peer *peer) {
  static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (strlen(own[i]) == peer->host_size && memcmp(own[i], peer->host, peer->host_size) == 0) return 1;
  }
  return 0;
}

static int may_have(const char *authorization, int endpoint) {
  if (!authorization) return 1;
  if (strcmp(authorization, "Bearer ") == 0) return endpoint >= PG_ENDPOINT_RESOURCE;
  return endpoint <= PG_ENDPOINT_REVOCATION;
}

static int url_digit(uint8_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the next byte of a target after percent-decoding, and advances past it. */
static int take_decoded_byte(const uint8_t *target, size_t size, size_t *at) {
  uint8_t c = target[(*at)++];
  if (c != '%' || size - *at < 2) return c;
  int high = url_digit(target[*at]);
  int low = url_digit(target[*at + 1]);
  if (high < 0 || low < 0) return c;
  *at += 2;
  return high * 16 + low;
}

static int begins_with(const uint8_t *target, size_t size, const struct pg_secret *secret) {
  size_t at = 0;
  for (size_t i = 0; i < secret->size; i++) {
    if (at == size || take_decoded_byte(target, size, &at) != secret->bytes[i]) return 0;
  }
  return 1;
}

/* Whether the target contains a secret, unchanged or percent-encoded. */
static int holds(const uint8_t *target, size_t size, const struct pg_secret *secret) {
  if (secret->size < SECRET_BYTES_MIN) return 0;
  for (size_t at = 0; at < size; at++) {
    if (begins_with(target + at, size - at, secret)) return 1;
  }
  return 0;
}

int pg_leak_guard(const struct pg_http_request *request, const struct pg_address *sent,
                 const struct pg_allowed *allowed) {
  int endpoint = request->endpoint;
  if (endpoint < 0 || endpoint >= allowed->count) return 0;
  if (!is_peer(sent) || !pg_is_origin(sent, allowed->addresses[endpoint])) return 0;
  if (!sent->peer.is_secure && !allowed->allow_http && !is_own(&sent->peer)) return 0;
  if (!may_have(request->authorization, endpoint)) return 0;
  for (int i = 0; i < request->secret_count; i++) {
    if (holds(request->target, request->target_size, &request->secrets[i])) return 0;
  }
  return 1;
}
