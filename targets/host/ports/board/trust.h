/* The certificate authorities of the maker's page (page.h), for TLS. */
#ifndef PICOGRANT_BOARD_TRUST_H
#define PICOGRANT_BOARD_TRUST_H

#include "page.h"
#include "tls.h"

/* They point into the page. Whoever calls it again takes those before away. */
struct board_trust board_trust_of(const struct pg_page *page);

#endif
