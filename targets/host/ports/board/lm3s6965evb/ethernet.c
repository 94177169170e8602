/* The microcontroller's Ethernet controller (contract: network.h). In its memory, two bytes before each frame contain
 * the frame's length. lwIP has two bytes of padding in the same place. */
#include "network.h"
#include <netif/ethernet.h>
#include "registers.h"

#define ETHERNET(offset) BOARD_REGISTER(0x40048000u + (offset))
#define EVENTS ETHERNET(0x00)
#define EVENTS_ON ETHERNET(0x04)
#define RX_CONTROL ETHERNET(0x08)
#define TX_CONTROL ETHERNET(0x0c)
#define DATA ETHERNET(0x10)
#define ADDRESS_LOW ETHERNET(0x14)
#define ADDRESS_HIGH ETHERNET(0x18)
#define PHY_CONTROL ETHERNET(0x20)
#define PHY_DIVIDER ETHERNET(0x24)
#define PHY_READ ETHERNET(0x30)
#define RX_FRAMES ETHERNET(0x34)
#define TX_REQUEST ETHERNET(0x38)

_Static_assert(ETH_PAD_SIZE == 2, "a frame's length takes the place of its padding");

enum {
  RX_EVENT = 1 << 0,
  ALL_EVENTS = 0x7f,
  RX_ON = 1 << 0 | 1 << 3, /* the controller drops frames with a wrong checksum */
  RX_DISCARD = 1 << 4,
  TX_ON = 1 << 4 | 7, /* the controller pads short frames, adds the checksum, and uses full duplex */
  REQUEST = 1 << 0,
  PHY_CLOCK_HZ = 2500000,
  PHY_STATE = 1,
  PHY_MAKER = 2,
  PHY_HAS_LINK = 1 << 2
};

static uint32_t phy_read(uint32_t number) {
  PHY_CONTROL = number << 3 | REQUEST;
  while (PHY_CONTROL & REQUEST) continue;
  return PHY_READ;
}

/* qemu has no PHY. The cable then counts as plugged in. */
int board_ethernet_has_link(void) { return phy_read(PHY_MAKER) == 0 || (phy_read(PHY_STATE) & PHY_HAS_LINK) != 0; }

/* Sends a frame. The length before the frame does not include the Ethernet header. */
err_t board_ethernet_send(struct netif *netif, struct pbuf *frame) {
  (void)netif;
  while (TX_REQUEST & REQUEST) continue;
  network_write_frame(frame, frame->tot_len - SIZEOF_ETH_HDR, ETH_PAD_SIZE, &DATA);
  TX_REQUEST = REQUEST;
  return ERR_OK;
}

int board_ethernet_has_frame(void) { return RX_FRAMES != 0; }

struct pbuf *board_ethernet_take(void) {
  uint32_t first = DATA;
  return network_read_frame(first, first & 0xffff, 1, &DATA);
}

void board_ethernet_calm(void) { EVENTS = ALL_EVENTS; }

int board_ethernet_restart(uint8_t *address) {
  uint32_t low = SYSTEM_MAC_LOW, high = SYSTEM_MAC_HIGH;
  for (int i = 0; i < 3; i++) {
    address[i] = (uint8_t)(low >> (8 * i));
    address[3 + i] = (uint8_t)(high >> (8 * i));
  }
  ADDRESS_LOW = low | high << 24;
  ADDRESS_HIGH = high >> 8;
  PHY_DIVIDER = BOARD_CLOCK_HZ / 2 / PHY_CLOCK_HZ - 1;
  RX_CONTROL = RX_DISCARD;
  RX_CONTROL = RX_ON;
  TX_CONTROL = TX_ON;
  EVENTS = ALL_EVENTS;
  EVENTS_ON = RX_EVENT;
  return 1;
}
