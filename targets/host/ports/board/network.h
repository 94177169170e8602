/*
 * The network: Ethernet, an address by DHCP, names by DNS. network_work advances everything; lwIP's timers run only
 * while something needs them, so an idle board sleeps.
 */
#ifndef PICOGRANT_BOARD_NETWORK_H
#define PICOGRANT_BOARD_NETWORK_H

#include <lwip/netif.h>
#include <stdint.h>

/* Starts; the address comes later. `time_server`: if DHCP names none; "": none. It must stay in place. */
void network_open(const char *time_server);

/* Receives packets, and runs lwIP's timers that are due. */
void network_work(void);

int network_has_link(void);
int network_is_up(void);

/*
 * network_doubt: an exchange had no response: names and neighbours are resolved again, and the gateway is probed
 * (network-watch.h). The other one: an exchange had a response.
 */
void network_doubt(void);
void network_works(void);

/* 1 while a name is being resolved: DNS needs its timer then. */
void network_resolving(int is_on);

/* There is new work: network_wake_in is 0 until network_work has been called. */
void network_attend(void);

/* Milliseconds until network_work must be called again. */
uint32_t network_wake_in(void);

/*
 * ethernet.c: the machine's controller. Its own memory holds frames until they are copied word by word to and from
 * lwIP's buffers: the driver needs no buffer.
 */

/* Resets it, and starts again; `address` receives its six bytes. 1, or 0: it does not respond. */
int board_ethernet_restart(uint8_t *address);

int board_ethernet_has_link(void);

/* Clears the cause of its interrupt. Later frames raise it again. */
void board_ethernet_calm(void);

int board_ethernet_has_frame(void);

/* The next frame, with ETH_PAD_SIZE bytes before it; NULL: there is no buffer for it, or it is invalid. */
struct pbuf *board_ethernet_take(void);

err_t board_ethernet_send(struct netif *netif, struct pbuf *frame);

/*
 * network.c, for those two. A frame's words go to a register of the controller. The first `filled` bytes of `word` are
 * set already; the frame's padding is left out.
 */
void network_write_frame(const struct pbuf *frame, uint32_t word, unsigned filled, volatile uint32_t *to);

/*
 * And are read from one, after the `first` word: `size` bytes, including padding and checksum. An invalid frame is only
 * read.
 */
struct pbuf *network_read_frame(uint32_t first, uint32_t size, int is_valid, volatile uint32_t *from);

#endif
