/*
 * The network: Ethernet, an address by DHCP, names by DNS. network_work moves all of it on; lwIP's timers run
 * only while something needs them, so that a board with nothing to send sleeps.
 */
#ifndef PICOGRANT_BOARD_NETWORK_H
#define PICOGRANT_BOARD_NETWORK_H

#include <lwip/netif.h>
#include <stdint.h>

/* Begins; the address comes later. `time_server`: of a network whose DHCP names none; "": there is none. It stays there. */
void network_open(const char *time_server);

/* Takes in packets, and lets lwIP's timers that are due run. */
void network_work(void);

int network_has_link(void);
int network_is_up(void);

/*
 * An exchange went without an answer: names and neighbours are asked for again, and the gateway is asked whether it
 * is there (network-watch.h). And: an exchange got an answer.
 */
void network_doubt(void);
void network_works(void);

/* 1 while a name is looked for: DNS needs its timer then. */
void network_resolving(int is_on);

/* Something new is to be done: network_wake_in is 0 until network_work has been called. */
void network_attend(void);

/* Milliseconds until network_work must be called again. */
uint32_t network_wake_in(void);

/*
 * ethernet.c: the machine's controller. Its own memory holds frames until they are read word by word, straight into
 * lwIP's buffers and out of them: no buffer of the driver's is needed.
 */

/* Resets it, and begins anew; `address` gets its six bytes. 1, or 0: it does not answer. */
int board_ethernet_restart(uint8_t *address);

int board_ethernet_has_link(void);

/* Takes away the cause of its interrupt. What comes after that raises it again. */
void board_ethernet_calm(void);

int board_ethernet_has_frame(void);

/* The next one, ETH_PAD_SIZE bytes ahead of it; NULL: there is no buffer for it, or it is bad. */
struct pbuf *board_ethernet_take(void);

err_t board_ethernet_send(struct netif *netif, struct pbuf *frame);

/*
 * network.c, for those two. A frame's words go to a register of the controller. `word` has the first `filled` of its four
 * bytes already; the frame's padding is left out.
 */
void network_write_frame(const struct pbuf *frame, uint32_t word, unsigned filled, volatile uint32_t *to);

/* And come from one, behind the `first` word: `size` bytes, padding and checksum counted. What is bad is read out alone. */
struct pbuf *network_read_frame(uint32_t first, uint32_t size, int is_valid, volatile uint32_t *from);

#endif
