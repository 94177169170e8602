/*
 * What the boot loader offers the firmware that it has started: everything that concerns the slots and the boot
 * record (targets/image/FORMAT.md). There is one copy of it, in the part of flash that is never
 * written again, and the firmware needs neither the maker's keys nor the code that checks with them.
 *
 * The table is at an address of its own in the loader. Its functions are called from the firmware's main loop,
 * work on the firmware's stack, and keep what they know in RAM of the loader's (board.ld: LOADER).
 */
#ifndef PICOGRANT_BOARD_LOADER_SERVICES_H
#define PICOGRANT_BOARD_LOADER_SERVICES_H

#include <stddef.h>
#include <stdint.h>

#include "image.h"

struct loader_services {
  /* The running image has passed its own test (pg_boot_confirm). Not PG_IMAGE_OK: try again later. */
  enum pg_image_result (*confirm)(void);
  /*
   * Begins an update: the slot that does not run will be written, and the boot record names it no longer.
   * `*slot` is its number. PG_IMAGE_IN_USE where the image that runs is not confirmed.
   */
  enum pg_image_result (*begin_update)(int *slot);
  /* The same for later settings (later-settings.h): the slot that does not count will be written. */
  void (*begin_settings)(void);
  /* The image's next bytes, in any pieces. 1, or 0: the slot is too small, or could not be written. */
  int (*write_update)(const uint8_t *bytes, size_t size);
  /* All bytes have come: checks what the slot holds now, and makes it the trial, or the settings that count. */
  enum pg_image_result (*end_update)(void);
  /* The later settings that count, a page (factory.h), and their counter; NULL, 0 and 0 where there are none. */
  const uint8_t *(*settings)(size_t *size, uint32_t *counter);
  /* FORMAT.md's name of a result. */
  const char *(*result_name)(enum pg_image_result result);
};

/* Where map.h has it; the version in an image's ABI changes when a member of the table does. */
extern const struct loader_services loader_services;

#endif
