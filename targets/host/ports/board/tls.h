/*
 * TLS 1.2 over BearSSL: the client's side of one session, with bytes of the network on one side and bytes of the
 * application on the other. The certificate's chain, name and time are checked against the anchors; there is
 * no way to leave that out.
 */
#ifndef PICOGRANT_BOARD_TLS_H
#define PICOGRANT_BOARD_TLS_H

#include <bearssl.h>

#include "page.h"

/* Whom to trust: certificate authorities, out of the page that the factory programs. */
struct board_trust {
  const br_x509_trust_anchor *anchors;
  size_t count;
};

/* They point into the page. Whoever calls it again takes those before away. */
struct board_trust board_trust_of(const struct pg_page *page);

/* A session with `name`, which ends with a 0. The engine, or NULL with `*why` saying what is missing. */
br_ssl_engine_context *tls_start(const char *name, const struct board_trust *trust,
                                 const char **why);

/* The handshake is over. */
void tls_opened(void);

/* What has gone wrong in a session, as one sentence of what to do about it; "" for nothing. */
const char *tls_problem(void);

/* The same for the display: PG_REASON_*. Also where tls_start has returned NULL. */
int tls_reason(void);

/* Wipes what the session knew, but for what the next one can go on with. */
void tls_end(void);

/*
 * certificate.c: what BearSSL leaves out of the check of a server's certificate: that it is for servers (RFC 5280 section
 * 4.2.1.12), and
 * whose name it has (RFC 9525: no common name, no wildcard for a whole top-level domain, no name that spells an
 * address). Chain and signatures are BearSSL's own, and so is the time, once it is known when to judge (wall-clock.h).
 */

enum { CERTIFICATE_OID_BYTES = 8, CERTIFICATE_TIME_DIGITS = 14 };

/* BearSSL's check with ours around it; for br_ssl_engine_set_x509. */
struct certificate_check {
  const br_x509_class *vtable; /* first: BearSSL hands a pointer to it back */
  br_x509_minimal_context minimal;
  br_name_element first_name;
  char first_name_text[1];
  int certificates; /* how many have begun; the first is the server's */
  /* The bytes `.example` of a name of two labels, whose wildcard nobody may have; NULL for other names. */
  const char *domain;
  size_t domain_matched;
  int has_domain_wildcard;
  /* Where we are in a list of uses, and what was in it. */
  size_t uses_matched;
  int uses_state;
  size_t uses_left;
  size_t use_left;
  size_t use_at;
  uint8_t use[CERTIFICATE_OID_BYTES];
  int is_for_others;
  /* Where we are in a time, its digits, and those of the validity that are complete: seconds since 1970. */
  size_t time_at;
  size_t time_digits;
  char time[CERTIFICATE_TIME_DIGITS];
  int times;
  uint32_t valid_s[2];
};

/* Puts our check around `check->minimal`, which br_x509_minimal_init has made. */
void certificate_check_open(struct certificate_check *check);

/* Whether a host is an address: BearSSL compares addresses with none of a certificate's. */
int certificate_is_address(const char *host);

#endif
