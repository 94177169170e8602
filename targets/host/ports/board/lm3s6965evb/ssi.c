/* The SSI, a bus with two chips: the display (oled.c), and the SD card, which replaces an EEPROM. The card has no file
 * system. Its first blocks contain the persistent memory. */
#include <string.h>

#include "board.h"
#include "map.h"
#include "picogrant-port.h"
#include "registers.h"

enum {
  BLOCK = MAP_EEPROM_PAGE,
  GO_IDLE = 0,
  SEND_CONDITION = 8,
  READ_BLOCK = 17,
  WRITE_BLOCK = 24,
  APPLICATION_OPEN = 41,
  APPLICATION = 55,
  READ_REGISTER = 58,
  IS_IDLE = 1,
  BEGINS = 0xfe,   /* starts a block of data */
  ACCEPTED = 0x05, /* the card has accepted a block */
  COUNTS_BLOCKS = 0x40,
  OPEN_MS_MAX = 1000,
  WORK_MS_MAX = 500,
  SLOW_DIVIDER = 31 /* 390 kHz until the card is open, then 12.5 MHz */
};

void board_ssi_open(void) {
  PORT_IS_OUT(PORT_A) = PIN_A_PANEL;
  PORT_IS_OUT(PORT_C) = PORT_IS_DIGITAL(PORT_C) = PIN_C_DATA;
  PORT_IS_OUT(PORT_D) = PORT_IS_DIGITAL(PORT_D) = PIN_D_CARD;
  PORT_PINS(PORT_A, PIN_A_PANEL) = PIN_A_PANEL;
  PORT_PINS(PORT_D, PIN_D_CARD) = PIN_D_CARD;
  SSI_PRESCALE = 2;
  SSI_FORMAT = SSI_8_BITS | SLOW_DIVIDER << SSI_DIVIDER_SHIFT;
  SSI_CONTROL = SSI_ON;
}

uint8_t board_ssi_byte(uint8_t byte) {
  SSI_DATA = byte;
  while (!(SSI_STATE & SSI_RX_HAS_BYTE)) continue;
  return (uint8_t)SSI_DATA;
}

static struct {
  uint8_t is_open;
  uint8_t counts_blocks; /* 1: commands contain block numbers instead of byte offsets */
  uint8_t holds;         /* `bytes` has the content of block `number` */
  uint32_t number;
  uint8_t bytes[BLOCK];
} card;

static void select_card(int is_on) {
  PORT_PINS(PORT_D, PIN_D_CARD) = is_on ? 0 : PIN_D_CARD;
  /* The card releases the line at the next clock. */
  (void)board_ssi_byte(0xff);
}

/* Waits until the card sends this byte. The card sends 0xff when it has finished. */
static int wait_for(uint8_t awaited) {
  uint32_t began = pg_clock_ms();
  uint8_t byte;
  do {
    byte = board_ssi_byte(0xff);
    if (byte == awaited) return 1;
  } while (pg_clock_ms() - began < WORK_MS_MAX);
  return 0;
}

/* Reads the card's response, which comes within 16 bytes. Returns 0xff if there is none. */
static uint8_t response_of(void) {
  uint8_t response = 0xff;
  for (int i = 0; i < 16 && response == 0xff; i++) response = board_ssi_byte(0xff);
  return response;
}

/* Sends a command. Returns the card's response, or 0xff if there is none. */
static uint8_t command(uint8_t number, uint32_t argument) {
  /* The card checks the checksum of only two commands, GO_IDLE and SEND_CONDITION. */
  uint8_t checksum = number == GO_IDLE ? 0x95 : 0x87;
  /* Wait for the end of the previous response. */
  board_ssi_byte(0xff);
  board_ssi_byte((uint8_t)(0x40 | number));
  for (int shift = 24; shift >= 0; shift -= 8) board_ssi_byte((uint8_t)(argument >> shift));
  board_ssi_byte(checksum);
  return response_of();
}

/* Reads the four bytes that follow some responses. */
static uint32_t rest_of_response(void) {
  uint32_t rest = 0;
  for (int i = 0; i < 4; i++) rest = rest << 8 | board_ssi_byte(0xff);
  return rest;
}

static int open_selected(void) {
  uint32_t began = pg_clock_ms();
  if (command(GO_IDLE, 0) != IS_IDLE) return 0;
  /* SD cards of version 1 do not know this command. */
  if (command(SEND_CONDITION, 0x1aa) == IS_IDLE) (void)rest_of_response();
  do {
    (void)command(APPLICATION, 0);
    if (command(APPLICATION_OPEN, 1u << 30) == 0) {
      /* IS_IDLE is no error here, because the emulated card reports it even when it is open. */
      if (command(READ_REGISTER, 0) > IS_IDLE) return 0;
      card.counts_blocks = (rest_of_response() >> 24 & COUNTS_BLOCKS) != 0;
      return 1;
    }
  } while (pg_clock_ms() - began < OPEN_MS_MAX);
  return 0;
}

static int open_card(void) {
  if (card.is_open) return 1;
  SSI_FORMAT = SSI_8_BITS | SLOW_DIVIDER << SSI_DIVIDER_SHIFT;
  for (int i = 0; i < 10; i++) (void)board_ssi_byte(0xff);
  select_card(1);
  card.is_open = (uint8_t)open_selected();
  select_card(0);
  SSI_FORMAT = SSI_8_BITS;
  if (!card.is_open) board_log("card: it does not respond\n");
  return card.is_open;
}

static uint32_t address_of(uint32_t number) { return card.counts_blocks ? number : number * BLOCK; }

static int read_selected(uint32_t number) {
  if (command(READ_BLOCK, address_of(number)) != 0 || !wait_for(BEGINS)) return 0;
  for (int i = 0; i < BLOCK; i++) card.bytes[i] = board_ssi_byte(0xff);
  (void)board_ssi_byte(0xff);
  (void)board_ssi_byte(0xff);
  return 1;
}

static int write_selected(uint32_t number) {
  if (command(WRITE_BLOCK, address_of(number)) != 0) return 0;
  board_ssi_byte(0xff);
  board_ssi_byte(BEGINS);
  for (int i = 0; i < BLOCK; i++) board_ssi_byte(card.bytes[i]);
  board_ssi_byte(0xff);
  board_ssi_byte(0xff);
  return (response_of() & 0x1f) == ACCEPTED && wait_for(0xff);
}

static int hold(uint32_t number) {
  if (card.holds && card.number == number) return 1;
  if (!open_card()) return 0;
  select_card(1);
  card.holds = (uint8_t)read_selected(number);
  select_card(0);
  card.number = number;
  /* If the card was removed, it must be opened again. */
  if (!card.holds) card.is_open = 0;
  return card.holds;
}

/* Writes the block in memory to the card. The next access reads the card again, because the write may have failed. */
static int write_held(void) {
  select_card(1);
  int ok = write_selected(card.number);
  select_card(0);
  card.holds = 0;
  if (!ok) card.is_open = 0;
  return ok;
}

int board_page_read(size_t at, uint8_t *bytes, size_t size) {
  if (!hold(at / BLOCK)) return 0;
  memcpy(bytes, card.bytes + at % BLOCK, size);
  return 1;
}

int board_page_write(size_t at, const uint8_t *bytes, size_t size) {
  if (!hold(at / BLOCK)) return 0;
  memcpy(card.bytes + at % BLOCK, bytes, size);
  return write_held();
}
