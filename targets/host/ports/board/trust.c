/* Authorities of the page as BearSSL has them. Contract in trust.h. */
#include "trust.h"

static br_x509_trust_anchor anchors[PG_PAGE_AUTHORITIES];

/* BearSSL does not write to an anchor, but does not say so in its types. */
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
