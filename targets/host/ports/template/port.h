/* What main.c and check.c need from the other files of the port, in addition to picogrant-port.h. */
#ifndef PORT_H
#define PORT_H

#include "picogrant-port.h"
#ifdef PG_KEYS
#include "keys.h"

/* The device's key, in a secure element or a key store; NULL if there is none. */
const struct pg_signer *port_signer(void);
#endif

extern const struct pg_medium port_medium;
extern struct pg_connection port_connection;

/* Initializes the board: pins, clocks, network. */
void port_open(void);

/* Sleeps for at most `ms` milliseconds, 0..100000000. Returns earlier after a network event or a pressed key. It may
 * return too early, but returning too late delays the core. */
void port_wait(int ms);

/* Returns a key that was pressed since the last call: 's' sign in, 'c' cancel, 'o' sign out; 0 for none. */
int port_key(void);

/* Writes a line to the developer's log. It must not contain a token, a code or a secret. */
void port_log(const char *line);

/* connection.c: the socket's descriptor, -1 for none, and the events of poll() for which port_wait waits. */
int socket_descriptor(void);
short socket_events(void);

#endif
