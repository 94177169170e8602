/* Fuzzes keys.c. An input has a device's settings, and exchanges. Each exchange is a request, the signer's result, and
 * a response with any nonce, challenge, date, status and body. Each input runs twice: with whole bodies, and in pieces.
 * The reports must be the same. Nonces, proofs and assertions must be valid. A request is repeated at most once. */
#include <string.h>

#include "bound.h"
#include "keys.h"
#include "picogrant-port.h"

enum { EXCHANGES = 6, BODY_MAX = 2048 };

static const uint8_t *next, *end;
static size_t piece;
static struct pg_http http;
static struct pg_keys keys;
static int must_repeat, has_random, signature_size;
static uint32_t wall_s;

static struct seen {
  int statuses, ends, failures, challenges, repeats, reasons;
  size_t body_size;
  uint8_t body[BODY_MAX];
} *seen;

static uint8_t take(void) { return next < end ? *next++ : 0; }

uint32_t pg_clock_wall_s(void) { return wall_s; }

int pg_random(uint8_t *bytes, size_t size) {
  memset(bytes, 0x5a, size);
  return has_random;
}

int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  memset(digest, bytes[size - 1], PG_SHA256_BYTES);
  return 1;
}

static int sign(void *context, const uint8_t *bytes, size_t size, uint8_t signature[PG_SIGNATURE_BYTES]) {
  (void)context;
  check(size > 0 && memchr(bytes, '.', size), "head and claims are signed");
  memset(signature, 0xa5, PG_SIGNATURE_BYTES);
  return signature_size;
}

int pg_http_repeat(struct pg_http *of) {
  check(of == &http && !must_repeat && !keys.is_repeated, "a request is repeated once");
  seen->repeats++;
  return must_repeat = take() & 1;
}

static void take_status(void *context, int status, int retry_after_s) {
  check(context == seen && retry_after_s == -1, "a report is passed on as it is");
  seen->statuses += status;
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  check(context == seen && seen->statuses > 0 && size > 0, "a piece of a body has bytes, and follows the status");
  check(size <= BODY_MAX - seen->body_size, "a body grows little");
  memcpy(seen->body + seen->body_size, bytes, size);
  seen->body_size += size;
}

static void take_end(void *context) { ((struct seen *)context)->ends++; }
static void take_failure(void *context) { ((struct seen *)context)->failures += 1 + http.reason; }
static void take_challenge(void *context, uint8_t c) { ((struct seen *)context)->challenges += c; }

/* Checks that a token has three parts in base64url. */
static void check_token(const char *text, const char *after) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (int part = 0; part < 3; part++) {
    size_t size = strspn(text, alphabet);
    check(size > 0 && (part == 2 || text[size] == '.'), "a token is well-formed");
    text += size + (part < 2);
  }
  check(strcmp(text, after) == 0, "a token is well-formed");
}

static void respond(void) {
  /* A long nonce may be longer than the input. */
  size_t size = take();
  if (size > 200) size += 30;
  for (size_t i = 0; i < size; i++) pg_keys_sink.nonce(&keys, i > 9 ? 'n' : take());
  if (size > 0) pg_keys_sink.nonce(&keys, '\n');
  for (int i = 0; i < 2; i++) {
    const char *nonce = keys.nonces[i];
    check(strnlen(nonce, PG_NONCE_BYTES) < PG_NONCE_BYTES, "a nonce fits");
    check(!nonce[strcspn(nonce, "\"\\ \r\n")], "a nonce has valid characters");
  }
  static const int statuses[] = {200, 400, 401, 500};
  uint8_t what = take();
  http.response.date_s = what & 4 ? -1 : (int64_t)wall_s + (what & 8 ? 3600 : 0);
  for (size = take(); size > 0; size--) pg_keys_sink.challenge(&keys, take());
  pg_keys_sink.status(&keys, statuses[what & 3], -1);
  size = take();
  if (size > (size_t)(end - next)) size = (size_t)(end - next);
  for (size_t part; size > 0; next += part, size -= part) {
    part = size < piece ? size : piece;
    pg_keys_sink.body(&keys, next, part);
  }
  if (what & 16) pg_keys_sink.failed(&keys);
  else pg_keys_sink.end(&keys);
}

static void exchange(void) {
  uint8_t what = take(), size = take();
  has_random = size != 1;
  signature_size = size == 2 ? 0 : size == 3 ? 65 : PG_SIGNATURE_BYTES;
  wall_s = size == 4 ? 0 : 1700000000;
  must_repeat = 1;
  for (int is_repeated = 0; must_repeat; is_repeated = 1) {
    struct pg_http_request request = {
        .is_get = what & 1,
        .endpoint = what >> 1 & 7,
        .address = what & 16 ? "https://a.test/t?x=1" : "https://a.test",
        .target = (const uint8_t *)"/v1?\"",
        .target_size = what & 32 ? 5 : 0,
        .authorization = what & 64 ? "Bearer " : NULL,
        .credentials = (const uint8_t *)"token",
        .credentials_size = 5,
        .is_json = what & 128,
    };
    int reason = pg_keys_complete(&keys, &request, is_repeated);
    must_repeat = 0;
    seen->reasons += reason;
    if (reason != PG_REASON_NONE) return;
    int is_able = wall_s && has_random && signature_size == PG_SIGNATURE_BYTES;
    check(!keys.is_signed || is_able, "a failed signer is reported");
    if (request.proof) check_token(request.proof + strlen("DPoP: "), "\r\n");
    if (request.assertion) check_token(strrchr(request.assertion, '=') + 1, "");
    respond();
  }
}

static void run(const uint8_t *bytes, size_t size, size_t length, struct seen *into) {
  static const struct pg_http_sink sink = {take_status, take_body, take_end, take_failure, take_challenge, NULL};
  static const struct pg_signer signer = {.sign = sign};
  next = bytes, end = bytes + size, piece = length, seen = into;
  memset(&keys, 0, sizeof keys);
  memset(&http, 0, sizeof http);
  memset(seen, 0, sizeof *seen);
  uint8_t what = take();
  const struct pg_settings settings = {.client_id = "a \"client\"",
                                       .server = what & 4 ? "https://a.test" : "",
                                       .addresses = {"", "https://a.test/t"},
                                       .dpop = what & 1,
                                       .private_key_jwt = what >> 1 & 1};
  pg_keys_open(&keys, &signer, &settings, &http, &sink, seen);
  for (int i = 0; i < EXCHANGES && next < end; i++) exchange();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static struct seen whole, pieces;
  if (size < 1) return 0;
  run(bytes + 1, size - 1, size, &whole);
  run(bytes + 1, size - 1, (size_t)bytes[0] % 7 + 1, &pieces);
  check(memcmp(&whole, &pieces, sizeof whole) == 0, "pieces change nothing");
  return 0;
}
