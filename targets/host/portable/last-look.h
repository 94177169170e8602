/*
 * The last look before anything is sent: is this where the request was meant to go? Whatever has put it together, it
 * is compared here with what the settings say, and http.c opens no connection without it.
 */
#ifndef PICOGRANT_LAST_LOOK_H
#define PICOGRANT_LAST_LOOK_H

#include "address.h"
#include "http.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether a request may go out.
 * @param sent where it is about to go: what the connection and the Host line are made of
 * @return 1, or 0: for another scheme, host or port than the address of the request's endpoint has in the settings
 *   (RFC 6454); over plain http to another machine, unless that is allowed; a bearer to any but a resource server
 *   (RFC 6750 section 5.3), the client's credentials to any but the authorization server; or with a secret in the
 *   address, where others read it
 */
int pg_last_look(const struct pg_http_request *request, const struct pg_address *sent,
                 const struct pg_allowed *allowed);

#ifdef __cplusplus
}
#endif

#endif
