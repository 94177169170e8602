/* The driver of the Ethernet controller LAN9118 (contract: network.h). */
#include "network.h"
#include "picogrant-port.h"
#include "registers.h"

#define LAN(offset) BOARD_REGISTER(0x40200000u + (offset))
#define RX_DATA LAN(0x00)
#define TX_DATA LAN(0x20)
#define RX_STATUS LAN(0x40)
#define ID_REV LAN(0x50)
#define IRQ_CFG LAN(0x54)
#define INT_STS LAN(0x58)
#define INT_EN LAN(0x5c)
#define FIFO_INT LAN(0x68)
#define RX_CFG LAN(0x6c)
#define TX_CFG LAN(0x70)
#define HW_CFG LAN(0x74)
#define RX_FIFO_INF LAN(0x7c)
#define TX_FIFO_INF LAN(0x80)
#define MAC_CSR_CMD LAN(0xa4)
#define MAC_CSR_DATA LAN(0xa8)

enum {
  SOFT_RESET = 1 << 0,
  RX_STATUS_INTERRUPT = 1 << 3,
  PHY_INTERRUPT = 1 << 18,
  RX_ERROR = 1 << 15,
  TX_ON = 1 << 1,
  TX_STATUS_MAY_OVERRUN = 1 << 2,
  FIRST_PIECE = 1 << 13,
  LAST_PIECE = 1 << 12,
  RX_OFFSET_SHIFT = 8,
  RESET_MS_MAX = 100
};

/* Registers that are accessed through MAC_CSR. */
enum { MAC_CR = 1, MAC_ADDRH = 2, MAC_ADDRL = 3, MII_ACC = 6, MII_DATA = 7 };
enum { MAC_TX_ON = 1 << 3, MAC_RX_ON = 1 << 2 };
#define MAC_BUSY 0x80000000u
#define MAC_READ 0x40000000u

/* Registers of the PHY: its state, its events, and which of them raise an interrupt. */
enum { PHY_STATE = 1, PHY_EVENTS = 29, PHY_MASK = 30 };
enum { PHY_HAS_LINK = 1 << 2, PHY_LINK_DOWN = 1 << 4, PHY_LINK_UP = 1 << 6, PHY_ENERGY = 1 << 7 };

static uint32_t mac_read(uint32_t number) {
  MAC_CSR_CMD = MAC_BUSY | MAC_READ | number;
  while (MAC_CSR_CMD & MAC_BUSY) continue;
  return MAC_CSR_DATA;
}

static void mac_write(uint32_t number, uint32_t value) {
  MAC_CSR_DATA = value;
  MAC_CSR_CMD = MAC_BUSY | number;
  while (MAC_CSR_CMD & MAC_BUSY) continue;
}

/* Reads a register of the PHY, which has address 1. */
static uint32_t phy_read(uint32_t number) {
  mac_write(MII_ACC, 1u << 11 | number << 6);
  return mac_read(MII_DATA);
}

static void phy_write(uint32_t number, uint32_t value) {
  mac_write(MII_DATA, value);
  mac_write(MII_ACC, 1u << 11 | number << 6 | 1u << 1);
}

int board_ethernet_has_link(void) { return (phy_read(PHY_STATE) & PHY_HAS_LINK) != 0; }

err_t board_ethernet_send(struct netif *netif, struct pbuf *frame) {
  uint32_t size = frame->tot_len - ETH_PAD_SIZE;
  (void)netif;
  /* If there is no space, drop the frame, as any network may. TCP sends it again. */
  if ((TX_FIFO_INF & 0xffff) < size + 16) return ERR_IF;
  TX_DATA = FIRST_PIECE | LAST_PIECE | size;
  TX_DATA = size;
  network_write_frame(frame, 0, 0, &TX_DATA);
  return ERR_OK;
}

int board_ethernet_has_frame(void) { return (RX_FIFO_INF & 0xff0000) != 0; }

struct pbuf *board_ethernet_take(void) {
  uint32_t status = RX_STATUS;
  uint32_t size = ETH_PAD_SIZE + (status >> 16 & 0x3fff);
  return network_read_frame(RX_DATA, size, !(status & RX_ERROR), &RX_DATA);
}

void board_ethernet_calm(void) {
  INT_STS = RX_STATUS_INTERRUPT | PHY_INTERRUPT;
  /* Reading this register clears the link's events. network_work reads the current state. */
  (void)phy_read(PHY_EVENTS);
}

int board_ethernet_restart(uint8_t *address) {
  uint32_t began = pg_clock_ms();
  if (ID_REV >> 16 != 0x0118) return 0;
  HW_CFG = SOFT_RESET;
  while (HW_CFG & SOFT_RESET) {
    if (pg_clock_ms() - began > RESET_MS_MAX) return 0;
  }
  HW_CFG = 0x00050000;
  RX_CFG = ETH_PAD_SIZE << RX_OFFSET_SHIFT;
  TX_CFG = TX_ON | TX_STATUS_MAY_OVERRUN;
  FIFO_INT = 0;
  INT_STS = 0xffffffff;
  INT_EN = RX_STATUS_INTERRUPT | PHY_INTERRUPT;
  /* The interrupt line is push-pull, active high and enabled. */
  IRQ_CFG = 1u << 8 | 1u << 4 | 1u << 0;
  phy_write(PHY_MASK, PHY_LINK_DOWN | PHY_LINK_UP | PHY_ENERGY);
  mac_write(MAC_CR, MAC_TX_ON | MAC_RX_ON);
  uint32_t low = mac_read(MAC_ADDRL);
  uint32_t high = mac_read(MAC_ADDRH);
  for (int i = 0; i < 4; i++) address[i] = (uint8_t)(low >> (8 * i));
  for (int i = 0; i < 2; i++) address[4 + i] = (uint8_t)(high >> (8 * i));
  return 1;
}
