/* What main.c needs of the board besides the headers of portable/: sleeping, keys, a log line. */
#ifndef PORT_H
#define PORT_H

#include "picogrant-port.h"

/* The storage for the records (medium.c). */
extern const struct pg_medium port_medium;

/* The device's connection (connection.c). */
extern struct pg_connection port_connection;

/* Initializes the board: pins, clocks, network. */
void port_open(void);

/*
 * Sleeps for at most `ms` milliseconds, 0..134217727; returns earlier if the network or a key needs attention.
 * Returning too early is harmless; returning too late delays the core.
 */
void port_wait(int ms);

/* A key that was pressed since the last call, 's' sign in, 'c' cancel, 'o' sign out; 0 for none. */
int port_key(void);

/* Writes a line to the developer's log: never a token, a code or a secret. */
void port_log(const char *line);

/* What clock.c waits for on the network (connection.c): the descriptor, -1 for none, and its events. */
int socket_descriptor(void);
short socket_events(void);

#endif
