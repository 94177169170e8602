/*
 * The network: Ethernet, an address by DHCP, names by DNS. network_work moves all of it on; lwIP's timers run
 * only while something needs them, so that a board with nothing to send sleeps.
 */
#ifndef PICOGRANT_BOARD_NETWORK_H
#define PICOGRANT_BOARD_NETWORK_H

#include <lwip/netif.h>
#include <stdint.h>

/* Begins; the address comes later. */
void network_open(void);

/* Takes in packets, and lets lwIP's timers that are due run. */
void network_work(void);

/* Whether the cable is in, and whether the board has an address. */
int network_has_link(void);
int network_is_up(void);

/*
 * An exchange went without an answer: names and neighbours are asked for again, and the gateway is asked whether it
 * is there (network-watch.h). And: an exchange got an answer.
 */
void network_doubt(void);
void network_works(void);

/* Whether a frame that has come, padding ahead of it, is what a doubt waits for. For ethernet.c. */
struct pbuf;
int network_hears(const struct pbuf *frame);

/* 1 while a name is looked for: DNS needs its timer then. */
void network_resolving(int is_on);

/* Something new is to be done: network_wake_in is 0 until network_work has been called. */
void network_attend(void);

/* Milliseconds until network_work must be called again. */
uint32_t network_wake_in(void);

/* The Ethernet controller, an SMSC LAN9118, as lwIP's network interface. */

/* For netif_add. */
err_t board_ethernet_open(struct netif *netif);

/* Hands over every packet that has come, and lets the interrupt tell of the next. */
void board_ethernet_work(struct netif *netif);

/* Whether the cable is in. */
int board_ethernet_has_link(void);

/* Resets the controller and begins anew, with the address that it has. 1, or 0: it does not answer. */
int board_ethernet_restart(void);

#endif
