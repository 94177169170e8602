/* The network's time server. Contract in time-server.h. */
#include "time-server.h"

#include <lwip/dhcp.h>
#include <lwip/udp.h>
#include <string.h>

#include "board.h"
#include "clock.h"
#include "network.h"

enum { PORT = 123, MESSAGE = 48, EVERY_MS = 15000, CLIENT = 4 << 3 | 3, SERVER_MODE = 4 };
enum { AT_ORIGINATE = 24, AT_TRANSMIT = 40, STAMP = 8 };
#define SECONDS_TO_1970 2208988800u

static struct {
  ip_addr_t address; /* none: DHCP named none */
  struct udp_pcb *udp;
  uint32_t asked_ms;
  uint8_t stamp[STAMP]; /* of the question under way: only an answer to it counts */
} server;

void dhcp_set_ntp_servers(u8_t count, const ip4_addr_t *addresses) {
  if (count > 0) ip_addr_copy_from_ip4(server.address, addresses[0]);
}

static void take_answer(void *unused, struct udp_pcb *udp, struct pbuf *answer, const ip_addr_t *from,
                        u16_t port) {
  uint8_t message[MESSAGE];
  (void)unused;
  (void)udp;
  int is_whole = pbuf_copy_partial(answer, message, MESSAGE, 0) == MESSAGE;
  pbuf_free(answer);
  if (!is_whole || port != PORT || !ip_addr_cmp(from, &server.address)) return;
  if ((message[0] & 7) != SERVER_MODE || message[1] == 0) return;
  if (memcmp(message + AT_ORIGINATE, server.stamp, STAMP) != 0) return;
  const uint8_t *at = message + AT_TRANSMIT;
  uint32_t seconds = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  board_log("clock: a time server has answered\n");
  board_clock_hint(seconds - SECONDS_TO_1970);
}

static void ask(void) {
  struct pbuf *question = pbuf_alloc(PBUF_TRANSPORT, MESSAGE, PBUF_RAM);
  if (!question) return;
  uint8_t *message = question->payload;
  memset(message, 0, MESSAGE);
  message[0] = CLIENT;
  /* What others cannot guess, in place of a time that is not known. */
  if (!pg_random(server.stamp, STAMP)) memset(server.stamp, 1, STAMP);
  memcpy(message + AT_TRANSMIT, server.stamp, STAMP);
  (void)udp_sendto(server.udp, question, &server.address, PORT);
  pbuf_free(question);
}

void time_server_work(void) {
  if (pg_clock_wall_s() != 0 || ip_addr_isany(&server.address) || !network_is_up()) return;
  uint32_t now = pg_clock_ms();
  if (server.udp && now - server.asked_ms < EVERY_MS) return;
  if (!server.udp) {
    server.udp = udp_new();
    if (!server.udp) return;
    udp_recv(server.udp, take_answer, NULL);
  }
  server.asked_ms = now;
  ask();
}
