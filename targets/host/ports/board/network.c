#include "network.h"

#include <lwip/dhcp.h>
#include <lwip/dns.h>
#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/sys.h>
#include <lwip/udp.h>
#include <netif/ethernet.h>
#include <string.h>

#include "board.h"
#include "network-watch.h"
#include "picogrant-port.h"

/* Queries a time server (RFC 4330) if the board does not know the time. DHCP may name the server; otherwise the
 * settings page does. The server's time is only a hint (wall-clock.h). */
enum { PORT = 123, MESSAGE = 48, EVERY_MS = 15000, CLIENT = 4 << 3 | 3, SERVER_MODE = 4 };
enum { AT_ORIGINATE = 24, AT_TRANSMIT = 40, STAMP = 8 };
#define SECONDS_TO_1970 2208988800u

static struct {
  ip_addr_t given;   /* the time server that DHCP names, or none */
  const char *name;  /* the time server of the settings page, used if DHCP names none; "": none */
  int is_looked_for; /* 1: DNS is resolving `name` */
  ip_addr_t address; /* the address to which the current query was sent */
  struct udp_pcb *udp;
  uint32_t requested_ms;
  uint8_t stamp[STAMP]; /* the stamp of the current query; a valid response repeats it */
} server;

void dhcp_set_ntp_servers(u8_t count, const ip4_addr_t *addresses) {
  if (count > 0) ip_addr_copy_from_ip4(server.given, addresses[0]);
  else ip_addr_set_zero(&server.given);
}

static void take_response(void *unused, struct udp_pcb *udp, struct pbuf *response, const ip_addr_t *from,
                        u16_t port) {
  uint8_t message[MESSAGE];
  (void)unused;
  (void)udp;
  int is_whole = pbuf_copy_partial(response, message, MESSAGE, 0) == MESSAGE;
  pbuf_free(response);
  if (!is_whole || port != PORT || !ip_addr_cmp(from, &server.address)) return;
  if ((message[0] & 7) != SERVER_MODE || message[1] == 0) return;
  if (memcmp(message + AT_ORIGINATE, server.stamp, STAMP) != 0) return;
  const uint8_t *at = message + AT_TRANSMIT;
  uint32_t seconds = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  pg_wall_clock_hint(&board_clock, seconds - SECONDS_TO_1970);
}

static void request(void) {
  struct pbuf *question = pbuf_alloc(PBUF_TRANSPORT, MESSAGE, PBUF_RAM);
  if (!question) return;
  uint8_t *message = question->payload;
  memset(message, 0, MESSAGE);
  message[0] = CLIENT;
  /* The stamp is usually the time. As the time is unknown, use unpredictable bytes. */
  if (!pg_random(server.stamp, STAMP)) memset(server.stamp, 1, STAMP);
  memcpy(message + AT_TRANSMIT, server.stamp, STAMP);
  (void)udp_sendto(server.udp, question, &server.address, PORT);
  pbuf_free(question);
}

static void on_found(const char *name, const ip_addr_t *address, void *unused) {
  (void)name;
  (void)unused;
  server.is_looked_for = 0;
  if (!address) return;
  server.address = *address;
  request();
}

/* Resolves the server's name before each query, because its address may change. DNS caches the address for its TTL. */
static void look_for_name(void) {
  err_t result = dns_gethostbyname(server.name, &server.address, on_found, NULL);
  server.is_looked_for = result == ERR_INPROGRESS;
  if (result == ERR_OK) request();
}

static void time_server_work(void) {
  int is_given = !ip_addr_isany(&server.given);
  if (board_clock.is_sure || !network_is_up() || !(is_given || *server.name)) return;
  uint32_t now = pg_clock_ms();
  if (server.udp && now - server.requested_ms < EVERY_MS) return;
  if (!server.udp) {
    server.udp = udp_new();
    if (!server.udp) return;
    udp_recv(server.udp, take_response, NULL);
  }
  server.requested_ms = now;
  if (is_given) {
    server.address = server.given;
    request();
  } else {
    look_for_name();
  }
}

enum { LONGEST_MS = 60000 };

/* The controller may have no interrupt for the link, so an awake board also checks the link at this interval. */
enum { LINK_EVERY_MS = 1000 };

static struct netif interface;

/* The level of the network watch. A reset does not clear it. */
static struct {
  uint32_t level;
  uint32_t complement;
} stored __attribute__((section(".noinit")));
static struct pg_network_watch watch;

static int has_tcp(void) { return tcp_active_pcbs != NULL || tcp_tw_pcbs != NULL; }

static int has_no_address(void) { return netif_is_link_up(&interface) && !network_is_up(); }

static int always(void) { return 1; }

static int resolving; /* 1 while a connection resolves a name */

static int is_resolving(void) { return resolving || server.is_looked_for; }

static int sends(void) { return is_resolving() || has_tcp(); }

static struct timer {
  void (*run)(void);
  int (*is_needed)(void);
  uint32_t interval_ms;
  uint32_t last_ms;
} timers[] = {
    {tcp_tmr, has_tcp, TCP_TMR_INTERVAL, 0},
    {dns_tmr, is_resolving, DNS_TMR_INTERVAL, 0},
    {etharp_tmr, sends, ARP_TMR_INTERVAL, 0},
    {dhcp_fine_tmr, has_no_address, DHCP_FINE_TIMER_MSECS, 0},
    {dhcp_coarse_tmr, always, DHCP_COARSE_TIMER_MSECS, 0},
};
enum { TIMER_COUNT = sizeof timers / sizeof *timers };

static int needs_attention;
static uint32_t link_seen_ms;
static uint32_t names_aged_ms;

uint32_t sys_now(void) { return pg_clock_ms(); }

uint32_t board_random32(void) {
  static uint32_t unseeded;
  uint32_t number;
  if (pg_random((uint8_t *)&number, sizeof number)) return number;
  /* Without a seed there is no TLS, so these values need not be unpredictable, only different. */
  unseeded = unseeded * 1664525 + 1013904223 + pg_clock_ms();
  return unseeded;
}

static void print(const char *what) {
  board_log("network: ");
  board_log(what);
  board_log("\n");
}

/* Counts down the TTL of cached names. A call of dns_tmr counts down one second. */
static void age_names(uint32_t seconds) {
  if (seconds > DNS_MAX_TTL) seconds = DNS_MAX_TTL;
  while (seconds-- > 0) dns_tmr();
}

static void let_names_age(void) {
  uint32_t passed = pg_clock_ms() - names_aged_ms;
  names_aged_ms += passed - passed % DNS_TMR_INTERVAL;
  /* While a name is being resolved, lwIP's DNS timer counts down the TTL. */
  if (!is_resolving()) age_names(passed / DNS_TMR_INTERVAL);
}

static int restart_controller(void) {
  board_ethernet_listen(0);
  if (!board_ethernet_restart(interface.hwaddr)) {
    board_log("ethernet: the controller does not respond\n");
    return 0;
  }
  board_ethernet_listen(1);
  return 1;
}

static err_t open_interface(struct netif *netif) {
  netif->hwaddr_len = ETH_HWADDR_LEN;
  netif->name[0] = 'e';
  netif->name[1] = 'n';
  netif->mtu = 1500;
  netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP;
  netif->output = etharp_output;
  netif->linkoutput = board_ethernet_send;
  return restart_controller() ? ERR_OK : ERR_IF;
}

void network_open(const char *time_server) {
  server.name = time_server;
  watch.level = stored.complement == ~stored.level ? (uint8_t)stored.level : 0;
  lwip_init();
  if (!netif_add(&interface, NULL, NULL, NULL, NULL, open_interface, ethernet_input)) return;
  interface.hostname = "picogrant";
  netif_set_default(&interface);
  netif_set_up(&interface);
  if (dhcp_start(&interface) != ERR_OK) board_log("dhcp: no memory\n");
  names_aged_ms = pg_clock_ms();
  link_seen_ms = names_aged_ms - LINK_EVERY_MS;
}

int network_is_up(void) {
  return netif_is_link_up(&interface) && dhcp_supplied_address(&interface) != 0;
}

int network_has_link(void) { return netif_is_link_up(&interface); }

void network_attend(void) { needs_attention = 1; }

void network_resolving(int is_on) {
  let_names_age();
  resolving = is_on;
}

/* Discards the cached addresses of servers and neighbours, because other hosts may have these addresses now. */
static void discard_addresses(void) {
  resolving = 0;
  age_names(DNS_MAX_TTL);
  etharp_cleanup_netif(&interface);
}

void network_doubt(void) {
  if (!watch.is_on) discard_addresses();
  pg_network_watch_doubt(&watch, pg_clock_ms());
}

static void keep_level(void) {
  stored.level = watch.level;
  stored.complement = ~stored.level;
}

void network_works(void) {
  pg_network_watch_received(&watch);
  keep_level();
}

/* Returns the host to probe: the gateway, or the DHCP server if there is no gateway. */
static const ip4_addr_t *neighbour(void) {
  const ip4_addr_t *gateway = netif_ip4_gw(&interface);
  return ip4_addr_isany(gateway) ? ip_2_ip4(&netif_dhcp_data(&interface)->server_ip_addr) : gateway;
}

/* Whether the frame ends the network watch's doubt: an ARP packet of the probed host. While the board has no address,
 * it cannot probe, so any frame ends the doubt. */
static int is_awaited(const struct pbuf *frame) {
  static const uint8_t arp[] = {0x08, 0x06};
  const uint8_t *bytes = (const uint8_t *)frame->payload + ETH_PAD_SIZE;
  if (!watch.is_on) return 0;
  if (!network_is_up()) return 1;
  return frame->len >= ETH_PAD_SIZE + 32 && memcmp(bytes + 12, arp, sizeof arp) == 0 &&
         memcmp(bytes + 28, &neighbour()->addr, sizeof neighbour()->addr) == 0;
}

void network_write_frame(const struct pbuf *frame, uint32_t word, unsigned filled, volatile uint32_t *to) {
  size_t skip = ETH_PAD_SIZE;
  for (const struct pbuf *part = frame; part; part = part->next) {
    const uint8_t *bytes = part->payload;
    for (size_t i = skip; i < part->len; i++) {
      word |= (uint32_t)bytes[i] << (8 * filled);
      if (++filled < 4) continue;
      *to = word;
      word = filled = 0;
    }
    skip = 0;
  }
  if (filled) *to = word;
}

struct pbuf *network_read_frame(uint32_t first, uint32_t size, int is_valid, volatile uint32_t *from) {
  enum { CHECKSUM_BYTES = 4, LEAST = ETH_PAD_SIZE + CHECKSUM_BYTES, MOST = LEAST + 1514 };
  uint32_t word = first;
  uint32_t words = (size + 3) / 4;
  struct pbuf *frame = NULL;
  if (is_valid && size > LEAST && size <= MOST) frame = pbuf_alloc(PBUF_RAW, (uint16_t)(words * 4), PBUF_POOL);
  if (!frame) {
    /* Read and discard the frame, because not every controller has a command to skip it. */
    while (words-- > 1) (void)*from;
    return NULL;
  }
  /* The length of the pool's buffers is a multiple of the word size. */
  for (struct pbuf *part = frame; part; part = part->next) {
    for (uint16_t at = 0; at < part->len; at += 4) {
      memcpy((uint8_t *)part->payload + at, &word, sizeof word);
      if (--words > 0) word = *from;
    }
  }
  pbuf_realloc(frame, (uint16_t)(size - CHECKSUM_BYTES));
  return frame;
}

/* Passes received frames to lwIP. First clears the interrupt's cause, so that a later frame raises a new interrupt. */
static void take_frames(void) {
  board_ethernet_calm();
  board_ethernet_listen(0);
  while (board_ethernet_has_frame()) {
    struct pbuf *frame = board_ethernet_take();
    if (frame && is_awaited(frame)) network_works();
    if (frame && interface.input(frame, &interface) != ERR_OK) pbuf_free(frame);
  }
  board_ethernet_listen(1);
}

/* Checks the link. When the link is back, lwIP confirms the DHCP lease, or gets a new address on another network. */
static void look_at_link(void) {
  int has_link = board_ethernet_has_link();
  link_seen_ms = pg_clock_ms();
  if (has_link == netif_is_link_up(&interface)) return;
  print(has_link ? "the cable is in" : "the cable is out");
  discard_addresses();
  if (has_link) netif_set_link_up(&interface);
  else netif_set_link_down(&interface);
}

static void restart_interface(void) {
  print("no packets although there is a link; restarting the interface");
  netif_set_link_down(&interface);
  discard_addresses();
  (void)restart_controller();
  link_seen_ms = pg_clock_ms() - LINK_EVERY_MS;
}

static void supervise(void) {
  switch (pg_network_watch_next(&watch, pg_clock_ms(), netif_is_link_up(&interface))) {
    case PG_NETWORK_PROBE:
      if (network_is_up()) (void)etharp_request(&interface, neighbour());
      break;
    case PG_NETWORK_RESTART_INTERFACE:
      restart_interface();
      break;
    case PG_NETWORK_RESTART_DEVICE:
      print("restarting the interface does not help; restarting the device");
      keep_level();
      board_restart();
    default:
      break;
  }
}

static void run_timers(void) {
  uint32_t now = pg_clock_ms();
  for (int i = 0; i < TIMER_COUNT; i++) {
    struct timer *timer = &timers[i];
    if (!timer->is_needed()) {
      timer->last_ms = now;
    } else if (now - timer->last_ms >= timer->interval_ms) {
      timer->last_ms = now;
      timer->run();
    }
  }
}

void network_work(void) {
  int was_up = network_is_up();
  needs_attention = 0;
  if (board_ethernet_has_input()) {
    take_frames();
    look_at_link();
  } else if (pg_clock_ms() - link_seen_ms >= LINK_EVERY_MS) {
    look_at_link();
  }
  run_timers();
  let_names_age();
  supervise();
  time_server_work();
  if (!was_up && network_is_up()) {
    board_log("network: address ");
    board_log(ip4addr_ntoa(netif_ip4_addr(&interface)));
    board_log("\n");
  }
}

uint32_t network_wake_in(void) {
  uint32_t now = pg_clock_ms();
  uint32_t soonest = LONGEST_MS;
  int32_t step = pg_network_watch_wake_in(&watch, now);
  if (needs_attention || board_ethernet_has_input()) return 0;
  if (step >= 0) soonest = (uint32_t)step < soonest ? (uint32_t)step : soonest;
  for (int i = 0; i < TIMER_COUNT; i++) {
    if (!timers[i].is_needed()) continue;
    uint32_t passed = now - timers[i].last_ms;
    uint32_t left = passed < timers[i].interval_ms ? timers[i].interval_ms - passed : 0;
    if (left < soonest) soonest = left;
  }
  return soonest;
}
