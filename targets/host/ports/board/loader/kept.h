/*
 * What the loader knows and keeps while the firmware runs: RAM that the firmware leaves alone (map.h). It is made
 * anew at each start.
 */
#ifndef PICOGRANT_BOARD_LOADER_KEPT_H
#define PICOGRANT_BOARD_LOADER_KEPT_H

#include "boot.h"

struct loader_kept {
  struct pg_image_rules rules;
  struct pg_boot_store store;
  struct pg_boot boot;
  /* An update under way: its slot, or -1, how much of it is written, and whether it is of settings. */
  int slot;
  uint32_t written;
  int is_settings;
  /* The later settings that count: their slot, or -1, and what is in it. */
  int settings_slot;
  struct pg_image settings;
};

extern struct loader_kept loader_kept;

#endif
