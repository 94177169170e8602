#include "keys.h"

#ifdef PG_KEYS

#include <string.h>

#include "address.h"
#include "picogrant-numbers.h"
#include "picogrant-port.h"
#include "storage.h"

enum { JTI_BYTES = 16, ASSERTION_LIFETIME_S = 60 };

/* A signed JSON web token (RFC 7519), whose parts are encoded as base64url while they are written. */
struct jwt {
  char *to;
  size_t size;
  size_t length;
  uint32_t bits; /* the bits that are not encoded yet */
  int bit_count;
  int has_failed; /* 1: the text does not fit, or a part is missing */
};

static void put_char(struct jwt *jwt, char c) {
  if (jwt->length + 1 >= jwt->size) jwt->has_failed = 1;
  else jwt->to[jwt->length++] = c;
}

static void put_plain(struct jwt *jwt, const char *text) {
  while (*text) put_char(jwt, *text++);
}

static void put_bits(struct jwt *jwt, int at_least) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (; jwt->bit_count >= at_least; jwt->bit_count -= 6) {
    put_char(jwt, alphabet[(jwt->bits << 6 >> jwt->bit_count) & 63]);
  }
}

static void put_encoded(struct jwt *jwt, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    jwt->bits = (jwt->bits << 8 | ((const uint8_t *)bytes)[i]) & 0xffff;
    jwt->bit_count += 8;
    put_bits(jwt, 6);
  }
}

static void put_claim(struct jwt *jwt, const char *text) { put_encoded(jwt, text, strlen(text)); }

/* Writes a part of a JSON string, with its quotation marks and backslashes escaped. */
static void put_string(struct jwt *jwt, const void *text, size_t size) {
  const char *at = text;
  for (size_t i = 0; i < size; i++) {
    if (at[i] == '"' || at[i] == '\\') put_claim(jwt, "\\");
    put_encoded(jwt, at + i, 1);
  }
}

static void put_member(struct jwt *jwt, const char *name, const char *value) {
  put_claim(jwt, name);
  put_string(jwt, value, strlen(value));
}

/* Writes a member of the token whose value is bytes in base64url. */
static void put_bytes(struct jwt *jwt, const char *name, const uint8_t *bytes, size_t size) {
  char text[PG_SHA256_BYTES * 4 / 3 + 2];
  struct jwt inner = {.to = text, .size = sizeof text};
  put_encoded(&inner, bytes, size);
  put_bits(&inner, 1);
  put_claim(jwt, name);
  put_encoded(jwt, text, inner.length);
}

static void put_seconds(struct jwt *jwt, const char *name, uint32_t seconds) {
  char digits[11] = {0};
  for (int i = 9; i >= 0; i--, seconds /= 10) digits[i] = (char)('0' + seconds % 10);
  put_claim(jwt, name);
  put_claim(jwt, digits + strspn(digits, "0"));
}

static void end_part(struct jwt *jwt) {
  put_bits(jwt, 1);
  jwt->bit_count = 0;
}

static void begin_claims(struct jwt *jwt, uint32_t wall_s) {
  uint8_t random[JTI_BYTES];
  end_part(jwt);
  put_plain(jwt, ".");
  if (!pg_random(random, sizeof random)) jwt->has_failed = 1;
  put_bytes(jwt, "{\"jti\":\"", random, sizeof random);
  put_seconds(jwt, "\",\"iat\":", wall_s);
}

/* Signs and ends the token, which begins at `from`. Then writes `end`. Returns 1, or 0 after a failure. */
static int end_token(struct jwt *jwt, size_t from, const struct pg_signer *signer, const char *end) {
  uint8_t signature[PG_SIGNATURE_BYTES];
  end_part(jwt);
  if (!jwt->has_failed) {
    const uint8_t *bytes = (const uint8_t *)jwt->to + from;
    jwt->has_failed = signer->sign(signer->context, bytes, jwt->length - from, signature) != PG_SIGNATURE_BYTES;
  }
  if (!jwt->has_failed) {
    put_plain(jwt, ".");
    put_encoded(jwt, signature, sizeof signature);
    end_part(jwt);
  }
  put_plain(jwt, end);
  jwt->to[jwt->has_failed ? 0 : jwt->length] = 0;
  return !jwt->has_failed;
}

/* Writes the address that http.c requests, without its query (RFC 9449 section 4.2). */
static void put_address(struct jwt *jwt, const struct pg_proof *proof) {
  struct pg_address address;
  const uint8_t *query = proof->target_size > 0 ? memchr(proof->target, '?', proof->target_size) : NULL;
  size_t target_size = query ? (size_t)(query - proof->target) : proof->target_size;
  if (!pg_address_split(proof->address, &address)) {
    jwt->has_failed = 1;
    return;
  }
  size_t path_size = strcspn(address.path, "?");
  if (address.path[path_size]) target_size = 0;
  put_claim(jwt, address.peer.is_secure ? "https://" : "http://");
  put_string(jwt, address.authority, address.authority_size);
  if (*address.path != '/' && !(path_size == 0 && target_size > 0 && *proof->target == '/')) put_claim(jwt, "/");
  put_string(jwt, address.path, path_size);
  put_string(jwt, proof->target, target_size);
}

int pg_proof_write(const struct pg_signer *signer, const struct pg_proof *proof, char *to, size_t size) {
  struct jwt jwt = {.to = to, .size = size};
  uint8_t digest[PG_SHA256_BYTES];
  put_plain(&jwt, "DPoP: ");
  size_t from = jwt.length;
  put_claim(&jwt, "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"crv\":\"P-256\",\"kty\":\"EC\"");
  put_bytes(&jwt, ",\"x\":\"", signer->x, sizeof signer->x);
  put_bytes(&jwt, "\",\"y\":\"", signer->y, sizeof signer->y);
  put_claim(&jwt, "\"}}");
  begin_claims(&jwt, proof->wall_s);
  put_member(&jwt, ",\"htm\":\"", proof->method);
  put_claim(&jwt, "\",\"htu\":\"");
  put_address(&jwt, proof);
  if (proof->token_size > 0) {
    if (!pg_sha256(proof->token, proof->token_size, digest)) jwt.has_failed = 1;
    put_bytes(&jwt, "\",\"ath\":\"", digest, sizeof digest);
  }
  if (*proof->nonce) put_member(&jwt, "\",\"nonce\":\"", proof->nonce);
  put_claim(&jwt, "\"}");
  return end_token(&jwt, from, signer, "\r\n");
}

int pg_assertion_write(const struct pg_signer *signer, const char *client_id, const char *audience, uint32_t wall_s,
                       char *to, size_t size) {
  struct jwt jwt = {.to = to, .size = size};
  put_plain(&jwt, "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
                  "&client_assertion=");
  size_t from = jwt.length;
  put_claim(&jwt, "{\"alg\":\"ES256\"}");
  begin_claims(&jwt, wall_s);
  put_seconds(&jwt, ",\"exp\":", wall_s + ASSERTION_LIFETIME_S);
  put_member(&jwt, ",\"iss\":\"", client_id);
  put_member(&jwt, "\",\"sub\":\"", client_id);
  put_member(&jwt, "\",\"aud\":\"", audience);
  put_claim(&jwt, "\"}");
  return end_token(&jwt, from, signer, "");
}


/* The signature of a record's header is PGFS (storage.c). In a marked record, F and S are combined by exclusive or with
 * a number of the key (own_number). An unmarked record has number 0. */
enum { MARK_AT = 2, MARK_ODD = 1 };

static int number_in(const uint8_t *header) { return (header[MARK_AT] ^ 'F') << 8 | (header[MARK_AT + 1] ^ 'S'); }

static void mark(uint8_t *header, int number) {
  header[MARK_AT] = (uint8_t)('F' ^ number >> 8);
  header[MARK_AT + 1] = (uint8_t)('S' ^ (number & 0xff));
}

/* Whether the length in a header is followed by its complement. After a power cut, a slot may have a part of a header. */
static int is_whole(const uint8_t *header) { return (header[4] ^ header[6]) == 0xff && (header[5] ^ header[7]) == 0xff; }

/* Returns the number of the device's key: the first 16 bits of its coordinate x, made odd, and so not 0. */
static int own_number(const struct pg_keys *keys) { return keys->signer->x[0] << 8 | keys->signer->x[1] | MARK_ODD; }

static int read_marked(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  struct pg_keys *keys = context;
  int result = keys->medium->read(keys->medium->context, slot, at, into, size);
  if (result != PG_MEDIUM_DONE || at > 0 || size < PG_SLOT_HEADER || memcmp(into, "PG", MARK_AT) != 0) return result;
  if (!is_whole(into)) return result;
  int number = number_in(into);
  if (number == own_number(keys)) keys->has_own_record = 1;
  else if (number) keys->has_other_record = 1;
  mark(into, 0);
  return result;
}

static int program_marked(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  const struct pg_keys *keys = context;
  uint8_t header[PG_MEDIUM_UNIT_MAX];
  /* storage.c programs the header in one call, with at most PG_MEDIUM_UNIT_MAX bytes. */
  if (at == 0) {
    memcpy(header, bytes, size);
    mark(header, own_number(keys));
    bytes = header;
  }
  return keys->medium->program(keys->medium->context, slot, at, bytes, size);
}

static int erase_marked(void *context, int slot) {
  const struct pg_keys *keys = context;
  return keys->medium->erase(keys->medium->context, slot);
}

const struct pg_medium *pg_keys_medium(struct pg_keys *keys, const struct pg_medium *medium) {
  if (!medium || !keys->settings->dpop) return medium;
  keys->medium = medium;
  keys->marking_medium = *medium;
  keys->marking_medium.context = keys;
  keys->marking_medium.read = read_marked;
  keys->marking_medium.program = program_marked;
  keys->marking_medium.erase = erase_marked;
  return &keys->marking_medium;
}

int pg_keys_replaced(const struct pg_keys *keys) { return keys->has_other_record && !keys->has_own_record; }


/* After CLOCK_REJECTIONS_MAX successive rejections, the host no longer blames its clock, even if each Date differs from
 * its time. */
enum { BAD_REQUEST = 400, REFUSED_TOKEN = 401, CLOCK_DIFFERENCE_S = 60, CLOCK_REJECTIONS_MAX = 3 };

/* The OAuth errors in the order of their bits in `found`. A wrong time may cause each of them except the first. */
static const char *const rejections[PG_REJECTIONS] = {"use_dpop_nonce", "invalid_dpop_proof", "invalid_client",
                                                     "invalid_grant"};
enum { NONCE_REQUIRED = 1 };

void pg_keys_open(struct pg_keys *keys, const struct pg_signer *signer, const struct pg_settings *settings,
                  struct pg_http *http, const struct pg_http_sink *sink, void *context) {
  keys->signer = signer;
  keys->settings = settings;
  keys->http = http;
  keys->sink = sink;
  keys->context = context;
}

static int add_proof(struct pg_keys *keys, struct pg_http_request *request, int has_token) {
  const struct pg_proof proof = {
      .method = request->is_get ? "GET" : "POST",
      .address = request->address,
      .target = request->target,
      .target_size = request->target_size,
      .token = request->credentials,
      .token_size = has_token ? request->credentials_size : 0,
      .nonce = keys->nonces[keys->is_resource],
      .wall_s = keys->sent_s,
  };
  if (has_token) request->authorization = "DPoP ";
  request->proof = keys->proof;
  return pg_proof_write(keys->signer, &proof, keys->proof, sizeof keys->proof);
}

/* Adds an assertion. Its audience is the issuer, or the token endpoint if the issuer is unknown or `private_key_jwt` is
 * 2 (RFC 7523 section 3). */
static int add_assertion(struct pg_keys *keys, struct pg_http_request *request) {
  const struct pg_settings *settings = keys->settings;
  const char *audience = *settings->server && settings->private_key_jwt == 1 ? settings->server : settings->addresses[PG_ENDPOINT_TOKEN];
  request->assertion = keys->assertion;
  return !request->is_json && pg_assertion_write(keys->signer, settings->client_id, audience, keys->sent_s,
                                                 keys->assertion, sizeof keys->assertion);
}

int pg_keys_complete(void *context, struct pg_http_request *request, int is_repeated) {
  struct pg_keys *keys = context;
  int has_token = request->authorization && strcmp(request->authorization, "Bearer ") == 0;
  int has_proof = keys->settings->dpop && (request->endpoint == PG_ENDPOINT_TOKEN || has_token);
  int has_assertion = keys->settings->private_key_jwt && request->endpoint <= PG_ENDPOINT_REVOCATION;
  if (request->endpoint == PG_ENDPOINT_DEVICE_AUTHORIZATION) keys->has_other_record = 0;
  keys->is_resource = request->endpoint >= PG_ENDPOINT_RESOURCE;
  keys->is_repeated = is_repeated;
  keys->has_nonce = keys->is_dropped = keys->is_late = keys->found = 0;
  keys->nonce_size = keys->type_at = 0;
  keys->is_signed = has_proof || has_assertion;
  keys->sent_s = pg_clock_wall_s();
  memset(keys->found_at, 0, sizeof keys->found_at);
  if (keys->is_signed && keys->sent_s == 0) return PG_REASON_CLOCK_WRONG;
  keys->sent_s += (uint32_t)keys->ahead_s;
  if (has_proof && !add_proof(keys, request, has_token)) return PG_REASON_SETTINGS_BROKEN;
  if (has_assertion && !add_assertion(keys, request)) return PG_REASON_SETTINGS_BROKEN;
  return PG_REASON_NONE;
}

/* Receives a byte of DPoP-Nonce. Drops a nonce that is too long, or has characters that RFC 9449 section 8.1 does not allow. */
static void keys_take_nonce(void *context, uint8_t c) {
  struct pg_keys *keys = context;
  char *nonce = keys->nonces[keys->is_resource];
  size_t size = keys->nonce_size;
  int is_valid = c > ' ' && c < 127 && c != '"' && c != '\\' && size + 1 < PG_NONCE_BYTES;
  if (c == ' ' || c == '\t') return;
  if (c == '\n') {
    keys->has_nonce = size > 0 && size < PG_NONCE_BYTES;
    keys->nonce_size = 0;
    return;
  }
  keys->nonce_size = is_valid ? size + 1 : PG_NONCE_BYTES;
  nonce[is_valid ? size : 0] = is_valid ? (char)c : 0;
  if (is_valid) nonce[size + 1] = 0;
}

static void find_rejections(struct pg_keys *keys, uint8_t c) {
  for (int i = 0; i < PG_REJECTIONS; i++) {
    uint8_t *at = &keys->found_at[i];
    *at = (uint8_t)((char)c == rejections[i][*at] ? *at + 1 : (char)c == rejections[i][0]);
    if (rejections[i][*at]) continue;
    keys->found |= 1 << i;
    *at = 0;
  }
}

static int must_repeat(const struct pg_keys *keys) {
  return keys->is_signed && !keys->is_repeated && keys->has_nonce && (keys->found & NONCE_REQUIRED);
}

static int is_rejected_late(const struct pg_keys *keys) {
  return keys->is_signed && keys->is_late && (keys->found & ~NONCE_REQUIRED);
}

static int has_wrong_time(const struct pg_keys *keys) {
  return is_rejected_late(keys) && keys->clock_rejections < CLOCK_REJECTIONS_MAX;
}

static void keys_take_challenge(void *context, uint8_t c) {
  struct pg_keys *keys = context;
  find_rejections(keys, c);
  keys->sink->challenge(keys->context, c);
}

static void keys_take_status(void *context, int status, int retry_after_s) {
  struct pg_keys *keys = context;
  int64_t date_s = keys->http->response.date_s;
  int64_t ahead_s = date_s < 0 ? 0 : date_s - (int64_t)keys->sent_s;
  keys->is_late = ahead_s > CLOCK_DIFFERENCE_S || ahead_s < -CLOCK_DIFFERENCE_S;
  if (keys->is_late) keys->ahead_s += (int32_t)ahead_s;
  keys->status = status;
  /* If an API call will be repeated, or a wrong time makes it fail, the sink must not get this response. */
  keys->is_dropped = keys->is_resource && status == REFUSED_TOKEN && (must_repeat(keys) || has_wrong_time(keys));
  if (!keys->is_dropped) keys->sink->status(keys->context, status, retry_after_s);
}

static void pass_on(const struct pg_keys *keys, const void *bytes, size_t size) {
  if (size > 0) keys->sink->body(keys->context, bytes, size);
}

/* Passes on a token response. The core only knows bearer tokens, so this function replaces the type DPoP by Bearer, and
 * any other type by an unknown one. */
static void take_tokens(struct pg_keys *keys, const uint8_t *bytes, size_t size) {
  static const char name[] = "\"token_type\"";
  static const char type[] = "dpop\"";
  enum { TYPE_NAMED = sizeof name - 1, TYPE_VALUE = TYPE_NAMED + 1 };
  size_t from = 0;
  for (size_t i = 0; i < size; i++) {
    char c = (char)bytes[i];
    uint8_t *at = &keys->type_at;
    if (*at < TYPE_NAMED) {
      *at = (uint8_t)(c == name[*at] ? *at + 1 : c == '"');
    } else if (*at == TYPE_NAMED) {
      if (c == '"') {
        pass_on(keys, bytes + from, i + 1 - from);
        *at = TYPE_VALUE;
      } else if (!strchr(": \t\r\n", c)) {
        *at = 0;
      }
    } else if ((c == '"' ? c : c | 32) != type[*at - TYPE_VALUE]) {
      pass_on(keys, "-", 1);
      from = i;
      *at = 0;
    } else if (++*at == TYPE_VALUE + sizeof type - 1) {
      pass_on(keys, "Bearer\"", 7);
      keys->has_own_record = 1;
      from = i + 1;
      *at = 0;
    }
  }
  if (keys->type_at < TYPE_VALUE) pass_on(keys, bytes + from, size - from);
}

static void keys_take_body(void *context, const uint8_t *bytes, size_t size) {
  struct pg_keys *keys = context;
  int is_refusal = keys->status == BAD_REQUEST || keys->status == REFUSED_TOKEN;
  for (size_t i = 0; i < size && is_refusal && !keys->is_resource; i++) find_rejections(keys, bytes[i]);
  if (keys->is_dropped) return;
  if (keys->is_signed && keys->settings->dpop && !keys->is_resource) take_tokens(keys, bytes, size);
  else pass_on(keys, bytes, size);
}

static void keys_take_end(void *context) {
  struct pg_keys *keys = context;
  if (must_repeat(keys) && pg_http_repeat(keys->http)) return;
  int is_wrong_time = has_wrong_time(keys);
  if (!is_rejected_late(keys)) keys->clock_rejections = 0;
  else if (is_wrong_time) keys->clock_rejections++;
  if (keys->is_dropped || is_wrong_time) {
    keys->http->reason = is_wrong_time ? PG_REASON_CLOCK_WRONG : PG_REASON_SERVER_SILENT;
    keys->sink->failed(keys->context);
  } else {
    keys->sink->end(keys->context);
  }
}

static void keys_take_failure(void *context) {
  const struct pg_keys *keys = context;
  keys->sink->failed(keys->context);
}

const struct pg_http_sink pg_keys_sink = {keys_take_status,  keys_take_body,      keys_take_end,
                                          keys_take_failure, keys_take_challenge, keys_take_nonce};

#endif
