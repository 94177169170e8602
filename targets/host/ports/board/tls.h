/* TLS 1.2 with BearSSL: the client side of one session, between network bytes and application bytes. A full handshake
 * checks the certificate's chain, name and time, and trusts only the anchors. A resumed session checks the time again. */
#ifndef PICOGRANT_BOARD_TLS_H
#define PICOGRANT_BOARD_TLS_H

#include <bearssl.h>

#ifdef PG_KEYS
#include "keys.h"
#endif
#include "page.h"

/* The trusted certificate authorities, from the settings page. */
struct board_trust {
  const br_x509_trust_anchor *anchors;
  size_t count;
};

/* Returns the authorities of a page. The result points into the page. The next call invalidates the result. */
struct board_trust board_trust_of(const struct pg_page *page);

#ifdef PG_KEYS
/* Opens a signer with the page's private key, 32 bytes on P-256. Returns 1, or 0 if the page has no valid one. */
int board_signer_open(struct pg_signer *signer, const struct pg_page *page);
#endif

/* Starts a session with `name`, which ends with a 0. Returns the engine. If it returns NULL, `*why` is the problem, or
 * NULL if only tls_reason has it. */
br_ssl_engine_context *tls_start(const char *name, const struct board_trust *trust,
                                 const char **why);

/* Call this when the handshake has succeeded. */
void tls_opened(void);

/* Returns the session's error in words, for a log; "" for none. */
const char *tls_problem(void);

/* Returns the error as PG_REASON_* for the display. Also valid if tls_start has returned NULL. */
int tls_reason(void);

/* Wipes the session, except the data for resuming it. */
void tls_end(void);

/* certificate.c: checks of a server's certificate that BearSSL lacks. If the certificate lists its uses, it must be for
 * servers or for any purpose (RFC 5280 section 4.2.1.12). Its name must follow RFC 9525: no common name, no wildcard for a
 * whole top-level domain, no name that looks like an address. BearSSL checks chain, signatures and time, once the time for
 * the check is known (wall-clock.h). */

enum { CERTIFICATE_OID_BYTES = 8, CERTIFICATE_TIME_DIGITS = 14 };

/* BearSSL's check with these additions, for br_ssl_engine_set_x509. */
struct certificate_check {
  const br_x509_class *vtable; /* must be first, because BearSSL passes a pointer to it */
  br_x509_minimal_context minimal;
  br_name_element first_name;
  char first_name_text[1];
  int certificates; /* the number of certificates so far; the first is the server's */
  /* The end of a server's name with two labels, such as `.example`: a wildcard for it is invalid. NULL: other names. */
  const char *domain;
  size_t domain_matched;
  int has_domain_wildcard;
  /* The parser's state in the list of uses. */
  size_t uses_matched;
  int uses_state;
  size_t uses_left;
  size_t use_left;
  size_t use_at;
  uint8_t use[CERTIFICATE_OID_BYTES];
  int is_for_others;
  /* The parser's state in a time, the digits of that time, and the validity's start and end in seconds since 1970. */
  size_t time_at;
  size_t time_digits;
  char time[CERTIFICATE_TIME_DIGITS];
  int times;
  uint32_t valid_s[2];
};

/* Adds the checks to `check->minimal`, which br_x509_minimal_init has initialized. */
void certificate_check_open(struct certificate_check *check);

/* Whether a host is an IP address, which BearSSL does not compare with a certificate. */
int certificate_is_address(const char *host);

#endif
