/*
 * The LAN9118. Its own memory holds packets until they are read word by word, straight into lwIP's buffers and
 * out of them: no packet buffer of the driver's is needed.
 */
#include "network.h"

#include <lwip/etharp.h>
#include <netif/ethernet.h>
#include <string.h>

#include "board.h"
#include "mps2.h"
#include "picogrant-port.h"

#define LAN(offset) BOARD_REGISTER(ETHERNET_BASE + (offset))
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
  CHECKSUM_BYTES = 4,
  FRAME_MAX = 1514,
  RESET_MS_MAX = 100
};

/* Registers behind MAC_CSR. */
enum { MAC_CR = 1, MAC_ADDRH = 2, MAC_ADDRL = 3, MII_ACC = 6, MII_DATA = 7 };
enum { MAC_TX_ON = 1 << 3, MAC_RX_ON = 1 << 2 };
#define MAC_BUSY 0x80000000u
#define MAC_READ 0x40000000u

/* Registers of the PHY: its state, what has happened, and which of that interrupts. */
enum { PHY_STATE = 1, PHY_EVENTS = 29, PHY_MASK = 30 };
enum { PHY_HAS_LINK = 1 << 2, PHY_LINK_DOWN = 1 << 4, PHY_LINK_UP = 1 << 6, PHY_ENERGY = 1 << 7 };

static volatile int has_input;

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

/* The PHY has address 1. */
static uint32_t phy_read(uint32_t number) {
  mac_write(MII_ACC, 1u << 11 | number << 6);
  return mac_read(MII_DATA);
}

static void phy_write(uint32_t number, uint32_t value) {
  mac_write(MII_DATA, value);
  mac_write(MII_ACC, 1u << 11 | number << 6 | 1u << 1);
}

int board_ethernet_has_link(void) { return (phy_read(PHY_STATE) & PHY_HAS_LINK) != 0; }

/* The controller goes on raising it until it is read out: silent until the loop has done so. */
void board_on_ethernet(void) {
  NVIC_DISABLE = 1u << IRQ_ETHERNET;
  has_input = 1;
}

int board_ethernet_has_input(void) { return has_input; }

/* A stream of bytes as words, into the controller. */
struct words {
  uint32_t word;
  unsigned filled;
};

static void put_bytes(struct words *words, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    words->word |= (uint32_t)bytes[i] << (8 * words->filled);
    if (++words->filled < 4) continue;
    TX_DATA = words->word;
    *words = (struct words){0, 0};
  }
}

static err_t send_frame(struct netif *netif, struct pbuf *frame) {
  (void)netif;
  struct words words = {0, 0};
  uint32_t size = frame->tot_len - ETH_PAD_SIZE;
  /* No room: dropped, as on any network, and TCP sends it again. */
  if ((TX_FIFO_INF & 0xffff) < size + 16) return ERR_IF;
  TX_DATA = FIRST_PIECE | LAST_PIECE | size;
  TX_DATA = size;
  size_t skip = ETH_PAD_SIZE;
  for (const struct pbuf *part = frame; part; part = part->next) {
    put_bytes(&words, (const uint8_t *)part->payload + skip, part->len - skip);
    skip = 0;
  }
  if (words.filled) TX_DATA = words.word;
  return ERR_OK;
}

/* Takes a frame of `size` bytes behind the padding out of the controller. NULL: no buffer, or a bad frame. */
static struct pbuf *take_frame(uint32_t status) {
  uint32_t size = status >> 16 & 0x3fff;
  uint32_t words = (size + ETH_PAD_SIZE + 3) / 4;
  struct pbuf *frame = NULL;
  if (!(status & RX_ERROR) && size > CHECKSUM_BYTES && size <= FRAME_MAX + CHECKSUM_BYTES) {
    frame = pbuf_alloc(PBUF_RAW, (uint16_t)(words * 4), PBUF_POOL);
  }
  if (!frame) {
    /* Read out word by word: whether the controller's own way to skip a packet is right, nobody has to rely on. */
    while (words-- > 0) (void)RX_DATA;
    return NULL;
  }
  /* The buffers of the pool are whole words long. */
  for (struct pbuf *part = frame; part; part = part->next) {
    for (uint16_t at = 0; at < part->len; at += 4) {
      uint32_t word = RX_DATA;
      memcpy((uint8_t *)part->payload + at, &word, sizeof word);
    }
  }
  pbuf_realloc(frame, (uint16_t)(size - CHECKSUM_BYTES + ETH_PAD_SIZE));
  return frame;
}

/* The interrupt's cause is cleared first: what comes while packets are read raises it again. */
void board_ethernet_work(struct netif *netif) {
  has_input = 0;
  INT_STS = RX_STATUS_INTERRUPT | PHY_INTERRUPT;
  /* What has happened to the link is forgotten by being read; what it is now, network_work asks. */
  (void)phy_read(PHY_EVENTS);
  NVIC_CLEAR_PENDING = 1u << IRQ_ETHERNET;
  while (RX_FIFO_INF & 0xff0000) {
    struct pbuf *frame = take_frame(RX_STATUS);
    if (frame && network_hears(frame)) network_works();
    if (frame && netif->input(frame, netif) != ERR_OK) pbuf_free(frame);
  }
  NVIC_ENABLE = 1u << IRQ_ETHERNET;
}

static void read_address(struct netif *netif) {
  uint32_t low = mac_read(MAC_ADDRL);
  uint32_t high = mac_read(MAC_ADDRH);
  for (int i = 0; i < 4; i++) netif->hwaddr[i] = (uint8_t)(low >> (8 * i));
  for (int i = 0; i < 2; i++) netif->hwaddr[4 + i] = (uint8_t)(high >> (8 * i));
  netif->hwaddr_len = ETH_HWADDR_LEN;
}

int board_ethernet_restart(void) {
  uint32_t began = pg_clock_ms();
  NVIC_DISABLE = 1u << IRQ_ETHERNET;
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
  /* Push-pull, active high, on. */
  IRQ_CFG = 1u << 8 | 1u << 4 | 1u << 0;
  phy_write(PHY_MASK, PHY_LINK_DOWN | PHY_LINK_UP | PHY_ENERGY);
  mac_write(MAC_CR, MAC_TX_ON | MAC_RX_ON);
  NVIC_ENABLE = 1u << IRQ_ETHERNET;
  return 1;
}

err_t board_ethernet_open(struct netif *netif) {
  if (ID_REV >> 16 != 0x0118 || !board_ethernet_restart()) return ERR_IF;
  read_address(netif);
  netif->name[0] = 'e';
  netif->name[1] = 'n';
  netif->mtu = 1500;
  netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP;
  netif->output = etharp_output;
  netif->linkoutput = send_frame;
  return ERR_OK;
}
