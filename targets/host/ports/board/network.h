/* The network: Ethernet, an address by DHCP, and names by DNS. network_work advances everything. lwIP's timers run only
 * while they are needed, so that an idle board can sleep. */
#ifndef PICOGRANT_BOARD_NETWORK_H
#define PICOGRANT_BOARD_NETWORK_H

#include <lwip/netif.h>
#include <stdint.h>

/* Starts the network. `time_server` ("": none) is used if DHCP names none, and must stay in place. */
void network_open(const char *time_server);

void network_work(void);

int network_has_link(void);
int network_is_up(void);

/* Call network_doubt if no connection to a server opens: the board then resolves names and neighbours again, and probes
 * the gateway (network-watch.h). Call network_works when a connection has opened. */
void network_doubt(void);
void network_works(void);

/* Pass 1 while a name is being resolved, because lwIP's DNS then needs its timer. */
void network_resolving(int is_on);

/* Makes network_wake_in return 0 until network_work has been called, because there is new work. */
void network_attend(void);

/* Returns the milliseconds until network_work must be called again. */
uint32_t network_wake_in(void);

/* ethernet.c: the machine's controller. The controller stores frames in its own memory, and the driver copies them word
 * by word from and to lwIP's buffers. */

/* Restarts the controller, and writes its 6-byte MAC address to `address`. Returns 1, or 0 if it does not respond. */
int board_ethernet_restart(uint8_t *address);

int board_ethernet_has_link(void);

/* Clears the cause of the controller's interrupt. A later frame raises the interrupt again. */
void board_ethernet_calm(void);

int board_ethernet_has_frame(void);

/* Returns the next frame, after ETH_PAD_SIZE bytes of padding; NULL if no buffer is free or the frame is invalid. */
struct pbuf *board_ethernet_take(void);

err_t board_ethernet_send(struct netif *netif, struct pbuf *frame);

/* network.c, called by board_ethernet_send and board_ethernet_take. Writes a frame's words to a register of the
 * controller, without the frame's padding. The first word starts with `filled` bytes of `word`. */
void network_write_frame(const struct pbuf *frame, uint32_t word, unsigned filled, volatile uint32_t *to);

/* Reads a frame from a register; its `first` word was already read. `size` includes padding and checksum. Reads and
 * discards an invalid frame, and returns NULL. */
struct pbuf *network_read_frame(uint32_t first, uint32_t size, int is_valid, volatile uint32_t *from);

#endif
