/*
 * What the maker sets later than the factory: a page (factory.h) in a signed image of engine `settings`. There are
 * two slots for it. Of those that the maker's key has signed for this product the one with the higher counter
 * counts; a new one is taken only with a counter above that, and goes into the other slot. So a cut at any byte
 * leaves the settings before, or the new ones, and older ones never come back.
 */
#ifndef PICOGRANT_BOARD_LOADER_LATER_SETTINGS_H
#define PICOGRANT_BOARD_LOADER_LATER_SETTINGS_H

#include "image.h"

/* Looks at both slots, once the keys and what is retired of them are known. */
void later_settings_choose(void);

/* Checks what was written into the slot that does not count, and has it count where it is newer. */
enum pg_image_result later_settings_take(int slot);

#endif
