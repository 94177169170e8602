/* What main.c asks of the board beside the headers of portable/: sleeping, keys, a line for the maker. */
#ifndef PORT_H
#define PORT_H

#include "picogrant-port.h"

/* Where the records are kept (medium.c). */
extern const struct pg_medium port_medium;

/* The device's connection (connection.c). */
extern struct pg_connection port_connection;

/* Brings the board up: pins, clocks, network. */
void port_open(void);

/*
 * Sleeps for at most `ms` milliseconds, 0..134217727; returns earlier where the network or a key needs attention.
 * Returning too early does no harm; too late delays what the core has to do.
 */
void port_wait(int ms);

/* A key that was pressed since the last call, 's' sign in, 'c' cancel, 'o' sign out; 0 for none. */
int port_key(void);

/* A line for the maker's log: never a token, a code or a secret. */
void port_log(const char *line);

/* What clock.c waits for on the network (connection.c): the descriptor, -1 where there is none, and what of it. */
int socket_descriptor(void);
short socket_events(void);

#endif
