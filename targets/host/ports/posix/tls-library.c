/* Contract in tls-library.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tls-library.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/* Of openssl/ssl.h and openssl/x509_vfy.h, which are not needed to build. */
enum { RECEIVED_SHUTDOWN = 2, NO_PARTIAL_WILDCARDS = 4, NEVER_CHECK_SUBJECT = 0x20 };

/* A function of the library, NULL where it has none. ISO C knows no pointer that is either. */
#define LOOK_UP(function, name)                          \
  do {                                                   \
    void *found = dlsym(RTLD_DEFAULT, name);             \
    memcpy(&(function), &found, sizeof found);           \
  } while (0)

int pg_tls_ended(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  int (*get_shutdown)(const void *) = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return 1;
  if (session->backend == CURLSSLBACKEND_NONE || !session->internals) return 1;
  if (session->backend != CURLSSLBACKEND_OPENSSL) return 0;
  LOOK_UP(get_shutdown, "SSL_get_shutdown");
  return get_shutdown && (get_shutdown(session->internals) & RECEIVED_SHUTDOWN);
}

/* libcurl calls it when the library's settings for a connection are there. */
static CURLcode set_name(CURL *easy, void *context, void *name) {
  void *(*parameters_of)(void *) = NULL;
  int (*set_host)(void *, const char *, size_t) = NULL;
  void (*set_flags)(void *, unsigned) = NULL;
  unsigned char address[sizeof(struct in6_addr)];
  const char *host = name;
  (void)easy;
  LOOK_UP(parameters_of, "SSL_CTX_get0_param");
  LOOK_UP(set_host, "X509_VERIFY_PARAM_set1_host");
  LOOK_UP(set_flags, "X509_VERIFY_PARAM_set_hostflags");
  if (!parameters_of || !set_host || !set_flags) return CURLE_OK;
  /* Addresses are libcurl's to check: there is no common name and no wildcard for one. */
  if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1) return CURLE_OK;
  void *parameters = parameters_of(context);
  set_flags(parameters, NO_PARTIAL_WILDCARDS | NEVER_CHECK_SUBJECT);
  return set_host(parameters, host, 0) ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

void pg_tls_check_name(CURL *easy, const char *host) {
  /* Another library than OpenSSL refuses the option. */
  if (curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, set_name) != CURLE_OK) return;
  (void)curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, (void *)(uintptr_t)host);
}
