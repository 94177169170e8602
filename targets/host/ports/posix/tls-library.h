/*
 * What libcurl's TLS library knows and libcurl does not say. The library is OpenSSL, or one that is taken for it where
 * it has the same functions: they are looked up in the running program, so that nothing else is needed to build.
 */
#ifndef PICOGRANT_TLS_LIBRARY_H
#define PICOGRANT_TLS_LIBRARY_H

#include <curl/curl.h>

/*
 * Whether a connection has ended in order: over TLS by a close_notify (RFC 8446 section 6.1), without which somebody
 * on the way may have cut it. Where the library does not say, none has.
 */
int pg_tls_ended(CURL *easy);

/*
 * Has the library check the peer's name as RFC 9525 says, beside libcurl's own check: the common name never counts, no
 * wildcard stands for a part of a label. Nothing happens where the library cannot.
 * @param host a name or an address, ended by 0, which stays until the connection has been made
 */
void pg_tls_check_name(CURL *easy, const char *host);

#endif
