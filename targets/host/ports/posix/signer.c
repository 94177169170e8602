#include "posix.h"

#ifdef PG_KEYS

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

static EVP_PKEY *own_key;

/* Converts OpenSSL's signature, a DER sequence of the numbers r and s, to the two numbers of fixed size. */
static int sign(void *context, const uint8_t *bytes, size_t size, uint8_t signature[PG_SIGNATURE_BYTES]) {
  uint8_t der[80];
  const uint8_t *at = der;
  size_t der_size = sizeof der;
  EVP_MD_CTX *digest = EVP_MD_CTX_new();
  int is_signed = digest && EVP_DigestSignInit(digest, NULL, EVP_sha256(), NULL, context) == 1 &&
                  EVP_DigestSign(digest, der, &der_size, bytes, size) == 1;
  ECDSA_SIG *numbers = is_signed ? d2i_ECDSA_SIG(NULL, &at, (long)der_size) : NULL;
  enum { HALF = PG_SIGNATURE_BYTES / 2 };
  int is_written = numbers && BN_bn2binpad(ECDSA_SIG_get0_r(numbers), signature, HALF) == HALF &&
                   BN_bn2binpad(ECDSA_SIG_get0_s(numbers), signature + HALF, HALF) == HALF;
  ECDSA_SIG_free(numbers);
  EVP_MD_CTX_free(digest);
  return is_written ? PG_SIGNATURE_BYTES : 0;
}

static int take_coordinate(const char *name, uint8_t bytes[PG_COORDINATE_BYTES]) {
  BIGNUM *number = NULL;
  int is_taken = EVP_PKEY_get_bn_param(own_key, name, &number) == 1 &&
                 BN_bn2binpad(number, bytes, PG_COORDINATE_BYTES) == PG_COORDINATE_BYTES;
  BN_free(number);
  return is_taken;
}

const char *pg_signer_open(struct pg_signer *signer, const char *path) {
  char text[2048];
  char curve[32] = "";
  char no_password[] = "";
  static char missing[1200];
  struct stat status;
  size_t size = pg_read_file(path, text, sizeof text, &status);
  if (size == 0) {
    snprintf(missing, sizeof missing,
             "cannot be read; run openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out '%s'", path);
    return missing;
  }
  const char *why = pg_owners_problem(path, &status);
  if (!why && (status.st_mode & (S_IRWXG | S_IRWXO))) why = "others can read the key in it; run chmod 600 on it";
  BIO *input = why ? NULL : BIO_new_mem_buf(text, (int)size);
  if (input) own_key = PEM_read_bio_PrivateKey(input, NULL, NULL, no_password);
  BIO_free(input);
  pg_wipe(text, sizeof text);
  if (why) return why;
  *signer = (struct pg_signer){.sign = sign, .context = own_key};
  if (own_key && EVP_PKEY_get_group_name(own_key, curve, sizeof curve, NULL) == 1 &&
      strcmp(curve, "prime256v1") == 0 && take_coordinate(OSSL_PKEY_PARAM_EC_PUB_X, signer->x) &&
      take_coordinate(OSSL_PKEY_PARAM_EC_PUB_Y, signer->y)) {
    return NULL;
  }
  return "holds no private key on the curve P-256 in PEM";
}

void pg_signer_close(void) { EVP_PKEY_free(own_key); }

#endif
