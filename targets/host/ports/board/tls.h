/*
 * TLS 1.2 with BearSSL: the client side of one session, with network bytes on one side and application bytes on the
 * other. The certificate's chain, name and time are always checked against the anchors.
 */
#ifndef PICOGRANT_BOARD_TLS_H
#define PICOGRANT_BOARD_TLS_H

#include <bearssl.h>

#include "page.h"

/* The trusted certificate authorities, from the settings page. */
struct board_trust {
  const br_x509_trust_anchor *anchors;
  size_t count;
};

/* They point into the page. A later call invalidates them. */
struct board_trust board_trust_of(const struct pg_page *page);

/* A session with `name`, which ends with a 0. The engine, or NULL with the problem in `*why`. */
br_ssl_engine_context *tls_start(const char *name, const struct board_trust *trust,
                                 const char **why);

/* The handshake is complete. */
void tls_opened(void);

/* The error of a session and its remedy, in one sentence; "" for none. */
const char *tls_problem(void);

/* The same for the display: PG_REASON_*. Also if tls_start has returned NULL. */
int tls_reason(void);

/* Wipes the session, except what the next one can resume. */
void tls_end(void);

/*
 * certificate.c: what BearSSL's check of a server's certificate omits: that it is for servers (RFC 5280 section
 * 4.2.1.12), and whose name it has (RFC 9525: no common name, no wildcard for a whole top-level domain, no name that
 * spells an address). Chain and signatures are BearSSL's own, and so is the time, once it is known when to judge
 * (wall-clock.h).
 */

enum { CERTIFICATE_OID_BYTES = 8, CERTIFICATE_TIME_DIGITS = 14 };

/* BearSSL's check, extended; for br_ssl_engine_set_x509. */
struct certificate_check {
  const br_x509_class *vtable; /* first: BearSSL hands a pointer to it back */
  br_x509_minimal_context minimal;
  br_name_element first_name;
  char first_name_text[1];
  int certificates; /* how many have begun; the first is the server's */
  /* The bytes `.example` of a name of two labels, for which a wildcard is invalid; NULL for other names. */
  const char *domain;
  size_t domain_matched;
  int has_domain_wildcard;
  /* The position in the list of uses, and its flags. */
  size_t uses_matched;
  int uses_state;
  size_t uses_left;
  size_t use_left;
  size_t use_at;
  uint8_t use[CERTIFICATE_OID_BYTES];
  int is_for_others;
  /* The position in a time, its digits, and the complete times of the validity: seconds since 1970. */
  size_t time_at;
  size_t time_digits;
  char time[CERTIFICATE_TIME_DIGITS];
  int times;
  uint32_t valid_s[2];
};

/* Extends `check->minimal`, which br_x509_minimal_init has initialized. */
void certificate_check_open(struct certificate_check *check);

/* Whether a host is an address: BearSSL does not compare addresses with a certificate's. */
int certificate_is_address(const char *host);

#endif
