/* This board has no panel: frames are on the serial line alone. */
#include "board.h"

void board_oled_open(void) {}

void board_oled_show(const uint8_t *cells) { (void)cells; }
