/* The network on lwIP's raw interface. Contract in network.h. */
#include "network.h"

#include <lwip/dhcp.h>
#include <lwip/dns.h>
#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/sys.h>
#include <netif/ethernet.h>

#include "board.h"
#include "clock.h"
#include "ethernet.h"

enum { LONGEST_MS = 60000 };

static struct netif interface;

static int has_tcp(void) { return tcp_active_pcbs != NULL || tcp_tw_pcbs != NULL; }

static int has_no_address(void) { return !network_is_up(); }

static int always(void) { return 1; }

/* lwIP's timers: how often each wants to run, and when it is needed at all. */
static struct timer {
  void (*run)(void);
  int (*is_needed)(void);
  uint32_t interval_ms;
  uint32_t last_ms;
} timers[] = {
    {tcp_tmr, has_tcp, TCP_TMR_INTERVAL, 0},
    {dns_tmr, has_tcp, DNS_TMR_INTERVAL, 0},
    {etharp_tmr, has_tcp, ARP_TMR_INTERVAL, 0},
    {dhcp_fine_tmr, has_no_address, DHCP_FINE_TIMER_MSECS, 0},
    {dhcp_coarse_tmr, always, DHCP_COARSE_TIMER_MSECS, 0},
};
enum { TIMER_COUNT = sizeof timers / sizeof *timers };

/* 1 while a name is being looked for; network_resolving sets it. */
static int resolving;

static int needs_attention;

static int is_needed(const struct timer *timer) {
  return timer->is_needed() || (resolving && timer->run != tcp_tmr);
}

uint32_t sys_now(void) { return pg_clock_ms(); }

uint32_t board_random32(void) {
  static uint32_t unseeded;
  uint32_t number;
  if (pg_random((uint8_t *)&number, sizeof number)) return number;
  /* Without a seed there is no TLS either: only what must differ differs. */
  unseeded = unseeded * 1664525 + 1013904223 + pg_clock_ms();
  return unseeded;
}

void network_open(void) {
  lwip_init();
  if (!netif_add(&interface, NULL, NULL, NULL, NULL, board_ethernet_open, ethernet_input)) {
    board_log("ethernet: the controller does not answer\n");
    return;
  }
  interface.hostname = "picogrant";
  netif_set_default(&interface);
  netif_set_up(&interface);
  if (dhcp_start(&interface) != ERR_OK) board_log("dhcp: no memory\n");
}

int network_is_up(void) { return dhcp_supplied_address(&interface) != 0; }

void network_attend(void) { needs_attention = 1; }

void network_resolving(int is_on) { resolving = is_on; }

void network_work(void) {
  int was_up = network_is_up();
  needs_attention = 0;
  if (board_ethernet_has_input()) board_ethernet_work(&interface);
  uint32_t now = pg_clock_ms();
  for (int i = 0; i < TIMER_COUNT; i++) {
    struct timer *timer = &timers[i];
    if (!is_needed(timer)) {
      timer->last_ms = now;
    } else if (now - timer->last_ms >= timer->interval_ms) {
      timer->last_ms = now;
      timer->run();
    }
  }
  if (!was_up && network_is_up()) {
    board_log("network: address ");
    board_log(ip4addr_ntoa(netif_ip4_addr(&interface)));
    board_log("\n");
  }
}

uint32_t network_wake_in(void) {
  uint32_t now = pg_clock_ms();
  uint32_t soonest = LONGEST_MS;
  if (needs_attention || board_ethernet_has_input()) return 0;
  for (int i = 0; i < TIMER_COUNT; i++) {
    if (!is_needed(&timers[i])) continue;
    uint32_t passed = now - timers[i].last_ms;
    uint32_t left = passed < timers[i].interval_ms ? timers[i].interval_ms - passed : 0;
    if (left < soonest) soonest = left;
  }
  return soonest;
}
