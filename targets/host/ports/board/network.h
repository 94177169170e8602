/*
 * The network: Ethernet, an address by DHCP, names by DNS. network_work moves all of it on; lwIP's timers run
 * only while something needs them, so that a board with nothing to send sleeps.
 */
#ifndef PICOGRANT_BOARD_NETWORK_H
#define PICOGRANT_BOARD_NETWORK_H

#include <stdint.h>

/* Begins; the address comes later. */
void network_open(void);

/* Takes in packets, and lets lwIP's timers that are due run. */
void network_work(void);

/* Whether the board has an address. */
int network_is_up(void);

/* 1 while a name is looked for: DNS needs its timer then. */
void network_resolving(int is_on);

/* Something new is to be done: network_wake_in is 0 until network_work has been called. */
void network_attend(void);

/* Milliseconds until network_work must be called again. */
uint32_t network_wake_in(void);

#endif
