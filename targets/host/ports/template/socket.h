/* What clock.c waits for on the network. */
#ifndef PICOGRANT_SOCKET_H
#define PICOGRANT_SOCKET_H

/* The connection's descriptor, -1 where there is none, and what of it is waited for. */
int socket_descriptor(void);
short socket_events(void);

#endif
