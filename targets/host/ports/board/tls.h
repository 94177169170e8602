/*
 * TLS 1.2 over BearSSL: the client's side of one session, with bytes of the network on one side and bytes of the
 * application on the other. The certificate's chain, name and time are checked against the anchors; there is
 * no way to leave that out.
 */
#ifndef PICOGRANT_BOARD_TLS_H
#define PICOGRANT_BOARD_TLS_H

#include <bearssl.h>

/* Whom to trust: certificate authorities, out of the page that the factory programs. */
struct board_trust {
  const br_x509_trust_anchor *anchors;
  size_t count;
};

/* A session with `name`, which ends with a 0. The engine, or NULL with `*why` saying what is missing. */
br_ssl_engine_context *tls_start(const char *name, const struct board_trust *trust,
                                 const char **why);

/* What has gone wrong in a session, as one sentence of what to do about it; "" for nothing. */
const char *tls_problem(void);

/* The same for the display: PG_REASON_*. Also where tls_start has returned NULL. */
int tls_reason(void);

/* Wipes what the session knew. */
void tls_end(void);

#endif
