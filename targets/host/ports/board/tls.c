/* TLS with BearSSL. To save flash and RAM, there are only two ciphers (ChaCha20 with Poly1305, AES-128-GCM), one curve
 * for the key exchange (P-256), and certificates signed with RSA, or with ECDSA over P-256 and P-384. All arithmetic is
 * constant-time on a Cortex-M3. */
#include "tls.h"

#include <string.h>

#include "board.h"
#include "picogrant-numbers.h"
#include "picogrant-port.h"

/* With TLS_SMALL_BUFFERS, BearSSL asks the server for records of at most 512 bytes (RFC 6066, max_fragment_length), the
 * capacity of `output`. Many public servers do not support this extension. From these servers, the board accepts
 * records of at most 1024 bytes, plus 5 bytes of header, 8 bytes of nonce and 16 bytes of tag. */
#if TLS_SMALL_BUFFERS
enum { INPUT_BYTES = 1024 + 29 };
#else
enum { INPUT_BYTES = BR_SSL_BUFSIZE_INPUT };
#endif
enum { OUTPUT_BYTES = 512 + 85, SEED_BYTES = 32 };

static br_ssl_client_context client;
static struct certificate_check check;
static uint8_t input[INPUT_BYTES];
static uint8_t output[OUTPUT_BYTES];

static const uint16_t suites[] = {
    BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    BR_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    BR_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    BR_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
};

static void choose_algorithms(void) {
  br_ssl_engine_context *engine = &client.eng;
  br_ssl_client_zero(&client);
  br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
  br_ssl_engine_set_suites(engine, suites, sizeof suites / sizeof *suites);
  br_ssl_engine_set_ec(engine, &br_ec_p256_m15);
  br_ssl_engine_set_rsavrfy(engine, br_rsa_i15_pkcs1_vrfy);
  br_ssl_engine_set_ecdsa(engine, br_ecdsa_i15_vrfy_asn1);
  br_ssl_engine_set_hash(engine, br_sha256_ID, &br_sha256_vtable);
  br_ssl_engine_set_hash(engine, br_sha384_ID, &br_sha384_vtable);
  br_ssl_engine_set_prf_sha256(engine, br_tls12_sha256_prf);
  br_ssl_engine_set_chapol(engine, &br_sslrec_in_chapol_vtable, &br_sslrec_out_chapol_vtable);
  br_ssl_engine_set_chacha20(engine, br_chacha20_ct_run);
  br_ssl_engine_set_poly1305(engine, br_poly1305_ctmul32_run);
  br_ssl_engine_set_gcm(engine, &br_sslrec_in_gcm_vtable, &br_sslrec_out_gcm_vtable);
  br_ssl_engine_set_aes_ctr(engine, &br_aes_ct_ctr_vtable);
  br_ssl_engine_set_ghash(engine, br_ghash_ctmul32);
}

static void check_certificates(const struct board_trust *trust) {
  br_x509_minimal_context *x509 = &check.minimal;
  br_x509_minimal_init(x509, &br_sha256_vtable, trust->anchors, trust->count);
  br_x509_minimal_set_rsa(x509, br_rsa_i15_pkcs1_vrfy);
  br_x509_minimal_set_ecdsa(x509, &br_ec_prime_i15, br_ecdsa_i15_vrfy_asn1);
  br_x509_minimal_set_hash(x509, br_sha256_ID, &br_sha256_vtable);
  br_x509_minimal_set_hash(x509, br_sha384_ID, &br_sha384_vtable);
  certificate_check_open(&check);
  br_ssl_engine_set_x509(&client.eng, &check.vtable);
}

/* The last session, only in RAM. If the server still knows it, the next handshake resumes it (RFC 5246 section 7.3)
 * without public-key arithmetic. The certificate's validity period is checked again. */
static struct {
  br_ssl_session_parameters parameters;
  uint8_t server[PG_SHA256_BYTES]; /* SHA-256 of the server's name */
  uint32_t from_s, until_s;        /* validity of the server's certificate */
  uint8_t is_known;
  uint8_t is_tried; /* 1: the current handshake tries to resume this session */
} session;

static void offer_session(const char *name) {
  uint8_t server[PG_SHA256_BYTES];
  pg_sha256((const uint8_t *)name, strlen(name), server);
  session.is_tried = session.is_known && memcmp(server, session.server, sizeof server) == 0;
  session.is_known = 0;
  memcpy(session.server, server, sizeof server);
  if (session.is_tried) br_ssl_engine_set_session_parameters(&client.eng, &session.parameters);
}

void tls_opened(void) {
  br_ssl_session_parameters *opened = &session.parameters;
  uint8_t tried[sizeof opened->session_id];
  memcpy(tried, opened->session_id, sizeof tried);
  br_ssl_engine_get_session_parameters(&client.eng, opened);
  session.is_known = opened->session_id_len > 0;
  if (session.is_tried && session.is_known && memcmp(tried, opened->session_id, opened->session_id_len) == 0) {
    (void)pg_wall_clock_judge(&board_clock, session.from_s, session.until_s);
  }
  session.from_s = board_clock.from_s;
  session.until_s = board_clock.until_s;
}

/* The reason why tls_start has returned NULL. */
static int refusal;

br_ssl_engine_context *tls_start(const char *name, const struct board_trust *trust,
                                 const char **why) {
  uint8_t seed[SEED_BYTES];
  *why = NULL;
  refusal = PG_REASON_SETTINGS_BROKEN;
  if (!trust || trust->count == 0) *why = "no certificate authority is programmed";
  else if (certificate_is_address(name)) *why = "the server is named by its address, which is not checked; name it";
  else if (!pg_random(seed, sizeof seed)) refusal = PG_REASON_NO_SEED;
  else refusal = PG_REASON_NONE;
  if (refusal != PG_REASON_NONE) return NULL;
  choose_algorithms();
  check_certificates(trust);
  br_ssl_engine_set_buffers_bidi(&client.eng, input, sizeof input, output, sizeof output);
  br_ssl_engine_inject_entropy(&client.eng, seed, sizeof seed);
  memset(seed, 0, sizeof seed);
  offer_session(name);
  if (br_ssl_client_reset(&client, name, session.is_tried)) return &client.eng;
  *why = "the session cannot begin";
  return NULL;
}

const char *tls_problem(void) {
  switch (br_ssl_engine_last_error(&client.eng)) {
    case BR_ERR_OK:
      return "";
    case BR_ERR_TOO_LARGE:
      return TLS_SMALL_BUFFERS
                 ? "the server sends longer records than this firmware has room for: it does not know "
                   "max_fragment_length; build with TLS_BUFFERS=full"
                 : "the server sends a longer record than TLS allows";
    case BR_ERR_X509_EXPIRED:
      return "the certificate has expired";
    case BR_ERR_X509_BAD_SERVER_NAME:
      return "the certificate is for another name";
    case BR_ERR_X509_NOT_TRUSTED:
    case BR_ERR_X509_BAD_SIGNATURE:
    case BR_ERR_X509_DN_MISMATCH:
      return "no certificate authority of this device has signed the certificate";
    case BR_ERR_X509_FORBIDDEN_KEY_USAGE:
      return "the certificate is not for servers";
    case BR_ERR_X509_UNSUPPORTED:
    case BR_ERR_X509_WRONG_KEY_TYPE:
    case BR_ERR_UNSUPPORTED_VERSION:
      return "the server or its certificate wants what this firmware is built without";
    case BR_ERR_IO:
      return "the connection has broken";
    default:
      return "the session has failed";
  }
}

int tls_reason(void) {
  switch (br_ssl_engine_last_error(&client.eng)) {
    case BR_ERR_OK:
      return refusal;
    case BR_ERR_X509_EXPIRED:
      return PG_REASON_OUT_OF_DATE;
    case BR_ERR_X509_BAD_SERVER_NAME:
      return PG_REASON_OTHER_NAME;
    case BR_ERR_X509_NOT_TRUSTED:
    case BR_ERR_X509_BAD_SIGNATURE:
    case BR_ERR_X509_DN_MISMATCH:
    case BR_ERR_X509_FORBIDDEN_KEY_USAGE:
      return PG_REASON_UNKNOWN_AUTHORITY;
    case BR_ERR_IO:
      return PG_REASON_SERVER_SILENT;
    /* A server that gets no client certificate may send these alerts (RFC 5246 section 7.4.6). If the board has
     * accepted the server's certificate, they mean that the server requires a client certificate. */
    case BR_ERR_RECV_FATAL_ALERT + BR_ALERT_HANDSHAKE_FAILURE:
    case BR_ERR_RECV_FATAL_ALERT + BR_ALERT_BAD_CERTIFICATE:
      return check.minimal.err == BR_ERR_X509_OK ? PG_REASON_CLIENT_CERTIFICATE : PG_REASON_TLS_TOO_OLD;
    default:
      return PG_REASON_TLS_TOO_OLD;
  }
}

void tls_end(void) {
  if (br_ssl_engine_last_error(&client.eng) != BR_ERR_OK) session.is_known = 0;
  memset(&client, 0, sizeof client);
  memset(&check, 0, sizeof check);
  memset(input, 0, sizeof input);
  memset(output, 0, sizeof output);
}

/* The page's authorities in BearSSL's format. */
static br_x509_trust_anchor anchors[PG_PAGE_AUTHORITIES];

/* BearSSL does not write to an anchor, but its pointers are not const. */
static unsigned char *bytes_of(struct pg_page_bytes part) { return (unsigned char *)(uintptr_t)part.bytes; }

struct board_trust board_trust_of(const struct pg_page *page) {
  for (size_t i = 0; i < page->authority_count; i++) {
    const struct pg_page_authority *authority = &page->authorities[i];
    br_x509_trust_anchor *anchor = &anchors[i];
    anchor->flags = BR_X509_TA_CA;
    anchor->dn.data = bytes_of(authority->name);
    anchor->dn.len = authority->name.size;
    if (authority->curve) {
      anchor->pkey.key_type = BR_KEYTYPE_EC;
      anchor->pkey.key.ec = (br_ec_public_key){authority->curve, bytes_of(authority->key), authority->key.size};
    } else {
      anchor->pkey.key_type = BR_KEYTYPE_RSA;
      anchor->pkey.key.rsa = (br_rsa_public_key){bytes_of(authority->key), authority->key.size,
                                                 bytes_of(authority->exponent), authority->exponent.size};
    }
  }
  return (struct board_trust){anchors, page->authority_count};
}

#ifdef PG_KEYS
static int sign(void *key, const uint8_t *bytes, size_t size, uint8_t signature[PG_SIGNATURE_BYTES]) {
  uint8_t digest[PG_SHA256_BYTES];
  (void)pg_sha256(bytes, size, digest);
  return (int)br_ecdsa_i15_sign_raw(&br_ec_p256_m15, &br_sha256_vtable, digest, key, signature);
}

int board_signer_open(struct pg_signer *signer, const struct pg_page *page) {
  static br_ec_private_key key;
  uint8_t point[BR_EC_KBUF_PUB_MAX_SIZE];
  key = (br_ec_private_key){BR_EC_secp256r1, bytes_of(page->signing_key), page->signing_key.size};
  if (br_ec_compute_pub(&br_ec_p256_m15, NULL, point, &key) != 1 + 2 * PG_COORDINATE_BYTES) return 0;
  *signer = (struct pg_signer){.sign = sign, .context = &key};
  memcpy(signer->x, point + 1, sizeof signer->x);
  memcpy(signer->y, point + 1 + sizeof signer->x, sizeof signer->y);
  return 1;
}
#endif

/* Uses the SHA-256 of BearSSL, which TLS needs in any case. */
int pg_sha256(const uint8_t *bytes, size_t size, uint8_t digest[PG_SHA256_BYTES]) {
  br_sha256_context context;
  br_sha256_init(&context);
  br_sha256_update(&context, bytes, size);
  br_sha256_out(&context, digest);
  return 1;
}
