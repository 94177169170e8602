/* The Ethernet controller, an SMSC LAN9118, as lwIP's network interface. */
#ifndef PICOGRANT_BOARD_ETHERNET_H
#define PICOGRANT_BOARD_ETHERNET_H

#include <lwip/netif.h>

/* For netif_add. */
err_t board_ethernet_open(struct netif *netif);

/* Hands over every packet that has come, and lets the interrupt tell of the next. */
void board_ethernet_work(struct netif *netif);

/* Whether the cable is in. */
int board_ethernet_has_link(void);

/* Resets the controller and begins anew, with the address that it has. 1, or 0: it does not answer. */
int board_ethernet_restart(void);

#endif
