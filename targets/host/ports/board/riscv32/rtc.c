/* The time of day. The emulator's clock goes on and needs no battery: a time before the earliest is a stopped one. */
#include "board.h"
#include "clock.h"
#include "virt.h"

static uint32_t earliest_s;

void board_clock_read(uint32_t earliest) {
  if (earliest > earliest_s) earliest_s = earliest;
}

uint32_t pg_clock_wall_s(void) {
  uint32_t low = CLOCK_LOW;
  uint32_t now = (uint32_t)(((uint64_t)CLOCK_HIGH << 32 | low) / 1000000000u);
  return now >= earliest_s ? now : 0;
}

/* A time server has nothing to add: what is wrong with this clock only the emulator mends. */
void board_clock_hint(uint32_t wall_s) { (void)wall_s; }

void board_clock_confirm(void) {}

void board_clock_refuse(void) {}

int board_clock_is_sure(void) { return pg_clock_wall_s() != 0; }
