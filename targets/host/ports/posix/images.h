/*
 * The images of a host with files: the maker's key files, the directory with the slots, and what boot.h
 * decides about them.
 */
#ifndef PICOGRANT_IMAGES_H
#define PICOGRANT_IMAGES_H

#include "boot.h"

/* What the command line says, and what this host is. All of it stays where it is. */
struct pg_images_options {
  const char *directory;
  const char *key_files[PG_KEYS_MAX]; /* oldest first */
  size_t key_count;
  const char *product;
  uint32_t counter_min;
  const struct pg_image_target *targets;
  size_t target_count;
  uint8_t border[PG_BORDER_BYTES];
};

/* Reads the keys. `what`: the file that is wrong. */
enum pg_image_result pg_images_open(const struct pg_images_options *options, const char **what);

/* As pg_boot_install, with the image in a file. PG_IMAGE_NONE: there is no such file. */
enum pg_image_result pg_images_install(const char *path);

/* As pg_boot_choose. `unwritten`: the boot record cannot be written, an update waits for that. */
enum pg_image_result pg_images_choose(struct pg_image *image, int *unwritten);

/* As pg_boot_confirm. */
enum pg_image_result pg_images_confirm(void);

#endif
