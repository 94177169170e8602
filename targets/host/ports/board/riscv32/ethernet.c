/* The network card of virtio as lwIP's interface (OASIS virtio 1.1, section 5.1). Contract in ethernet.h. */
#include "ethernet.h"

#include <lwip/etharp.h>
#include <netif/ethernet.h>
#include <string.h>

#include "board.h"
#include "network.h"
#include "virt.h"
#include "virtio.h"

enum { RECEIVE = 0, SEND = 1, HEAD = 12, FRAME_MAX = 1514, BUFFER = HEAD + FRAME_MAX + 2 };
enum { HAS_MAC = 1 << 5, HAS_STATE = 1 << 16, LINK_UP = 1 };
enum { EVENTS = 0x60, EVENTS_DONE = 0x64, CONFIG = 0x100, AT_STATE = 6 };

static int place = -1;
static volatile int has_input;
static struct virtio_queue received;
static struct virtio_queue sent;
static uint8_t buffers[VIRTIO_QUEUE][BUFFER] __attribute__((aligned(4)));
static uint8_t outgoing[BUFFER] __attribute__((aligned(4)));
static int is_sending;

static uint8_t config_byte(uint32_t at) {
  return BOARD_BYTE((uintptr_t)&VIRTIO(place, CONFIG) + at);
}

int board_ethernet_has_link(void) { return place >= 0 && (config_byte(AT_STATE) & LINK_UP) != 0; }

void board_on_ethernet(void) {
  if (place >= 0) VIRTIO(place, EVENTS_DONE) = VIRTIO(place, EVENTS);
  has_input = 1;
}

int board_ethernet_has_input(void) { return has_input; }

static err_t send_frame(struct netif *netif, struct pbuf *frame) {
  uint32_t size;
  (void)netif;
  if (virtio_take(&sent, &size) >= 0) is_sending = 0;
  /* No room: dropped, as on any network, and TCP sends it again. */
  if (is_sending || frame->tot_len > FRAME_MAX + ETH_PAD_SIZE) return ERR_IF;
  memset(outgoing, 0, HEAD);
  size = pbuf_copy_partial(frame, outgoing + HEAD, (u16_t)(frame->tot_len - ETH_PAD_SIZE), ETH_PAD_SIZE);
  is_sending = 1;
  virtio_offer(place, SEND, &sent, 0, outgoing, HEAD + size, 0);
  return ERR_OK;
}

static struct pbuf *take_frame(const uint8_t *buffer, uint32_t size) {
  if (size <= HEAD || size > BUFFER) return NULL;
  struct pbuf *frame = pbuf_alloc(PBUF_RAW, (u16_t)(size - HEAD + ETH_PAD_SIZE), PBUF_POOL);
  if (frame) (void)pbuf_take_at(frame, buffer + HEAD, (u16_t)(size - HEAD), ETH_PAD_SIZE);
  return frame;
}

void board_ethernet_work(struct netif *netif) {
  uint32_t size;
  has_input = 0;
  for (int slot = virtio_take(&received, &size); slot >= 0; slot = virtio_take(&received, &size)) {
    struct pbuf *frame = take_frame(buffers[slot], size);
    virtio_offer(place, RECEIVE, &received, (uint16_t)slot, buffers[slot], BUFFER, 1);
    if (frame && network_hears(frame)) network_works();
    if (frame && netif->input(frame, netif) != ERR_OK) pbuf_free(frame);
  }
}

int board_ethernet_restart(void) {
  place = virtio_open(VIRTIO_NET, HAS_MAC | HAS_STATE);
  if (place < 0) return 0;
  virtio_queue_open(place, RECEIVE, &received);
  virtio_queue_open(place, SEND, &sent);
  is_sending = 0;
  virtio_start(place);
  for (uint16_t slot = 0; slot < VIRTIO_QUEUE; slot++) {
    virtio_offer(place, RECEIVE, &received, slot, buffers[slot], BUFFER, 1);
  }
  board_enable(IRQ_VIRTIO_FIRST + place);
  return 1;
}

err_t board_ethernet_open(struct netif *netif) {
  if (!board_ethernet_restart()) return ERR_IF;
  for (uint32_t i = 0; i < ETH_HWADDR_LEN; i++) netif->hwaddr[i] = config_byte(i);
  netif->hwaddr_len = ETH_HWADDR_LEN;
  netif->name[0] = 'e';
  netif->name[1] = 'n';
  netif->mtu = 1500;
  netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP;
  netif->output = etharp_output;
  netif->linkoutput = send_frame;
  return ERR_OK;
}
