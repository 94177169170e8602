/* The board's connection: one, since there is RAM for one TLS session. */
#ifndef PICOGRANT_BOARD_CONNECTION_H
#define PICOGRANT_BOARD_CONNECTION_H

#include "connection.h"

/* For pg_host. */
extern struct pg_connection board_connection;

#endif
