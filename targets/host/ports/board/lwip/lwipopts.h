/* lwIP's options for this board: no operating system, one connection at a time, and TCP segments so short that a received
 * one fits into one buffer of about 600 bytes. Memory comes from pools and a small heap of lwIP's own, not from the heap of
 * an engine. */
#ifndef PICOGRANT_BOARD_LWIPOPTS_H
#define PICOGRANT_BOARD_LWIPOPTS_H

#include <stdint.h>

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_SOCKET 0
#define LWIP_NETCONN 0
/* network.c runs only the timers that are needed, so that the board can sleep longer. */
#define LWIP_TIMERS 0

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ARP 1
#define LWIP_ICMP 1
#define LWIP_RAW 0
#define LWIP_UDP 1
#define LWIP_TCP 1
#define LWIP_DHCP 1
#define LWIP_DNS 1
#define DHCP_DOES_ARP_CHECK 0
#define LWIP_DHCP_GET_NTP_SRV 1
#define LWIP_DHCP_MAX_NTP_SERVERS 1
#define LWIP_AUTOIP 0
#define IP_REASSEMBLY 0
#define IP_FRAG 0
#define LWIP_STATS 0
#define LWIP_NETIF_TX_SINGLE_PBUF 0
#define LWIP_NETIF_HOSTNAME 1
#define LWIP_NOASSERT 1

#define MEM_ALIGNMENT 4
#define MEM_SIZE 2400
/* Two bytes before each frame align the addresses in IP headers. */
#define ETH_PAD_SIZE 2

#define TCP_MSS 536
#define TCP_WND (3 * TCP_MSS)
#define TCP_SND_BUF (2 * TCP_MSS)
#define TCP_SND_QUEUELEN 8
#define TCP_SNDLOWAT 256
#define TCP_OVERSIZE 0
#define TCP_QUEUE_OOSEQ 0
#define TCP_LISTEN_BACKLOG 0
/* Milliseconds. If the board closes a connection first, lwIP's timer keeps waking it for twice this time. */
#define TCP_MSL 500UL
#define PBUF_POOL_SIZE 5
#define MEMP_NUM_PBUF 4
#define MEMP_NUM_TCP_PCB 3
#define MEMP_NUM_TCP_PCB_LISTEN 1
#define MEMP_NUM_TCP_SEG 8
#define MEMP_NUM_UDP_PCB 3
#define ARP_TABLE_SIZE 4
#define ARP_QUEUEING 1
#define MEMP_NUM_ARP_QUEUE 4
#define ETHARP_SUPPORT_STATIC_ENTRIES 0

/* Three names: of the authorization server, the API's server and the time server. */
#define DNS_TABLE_SIZE 3
#define DNS_MAX_NAME_LENGTH 128
#define DNS_MAX_SERVERS 2
#define DNS_MAX_RETRIES 4
/* Seconds. lwIP respects a shorter TTL. With a longer limit, the board might not find a server that has moved. */
#define DNS_MAX_TTL 3600

/* Makes ports, query identifiers and first sequence numbers unpredictable. */
uint32_t board_random32(void);
#define LWIP_RAND() board_random32()
#define LWIP_HOOK_TCP_ISN(local_ip, local_port, remote_ip, remote_port) board_random32()

#endif
