/*
 * Asks the network's time server (RFC 4330; which one it is, DHCP says) where the board does not know the time. What it
 * says is a hint (board.h, board_clock_hint).
 */
#ifndef PICOGRANT_BOARD_TIME_SERVER_H
#define PICOGRANT_BOARD_TIME_SERVER_H

/* Asks where that is needed, and not too often. Called from network_work. */
void time_server_work(void);

#endif
