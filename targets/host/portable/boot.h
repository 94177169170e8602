/*
 * Two image slots and the boot record (targets/firmware/image/FORMAT.md): which image runs, what becomes
 * of one that does not reach its first tick, and that nothing older than the newest good one runs.
 */
#ifndef PICOGRANT_BOOT_H
#define PICOGRANT_BOOT_H

#include "core-code.h"
#include "image.h"

/* The ABI of the bytecode that this host runs: engine version, byte order, word size. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PG_BOOT_ORDER "le"
#else
#define PG_BOOT_ORDER "be"
#endif
#if __SIZEOF_POINTER__ == 8
#define PG_BOOT_ABI PG_ENGINE_VERSION "-" PG_BOOT_ORDER "64"
#else
#define PG_BOOT_ABI PG_ENGINE_VERSION "-" PG_BOOT_ORDER "32"
#endif

/* What is to run; all NULL and 0 without images. The bytes are this file's. */
struct pg_boot_image {
  const uint8_t *code;
  size_t code_size;
  const uint8_t *config;
  size_t config_size;
};

/* Takes the directory with the slots, and reads the maker's public key (hexadecimal, or 32 raw bytes). */
enum pg_image_result pg_boot_open(const char *directory, const char *key_file, uint32_t counter_min);

/* Checks an image, writes it into the slot that is not the good one, and makes that the trial. */
enum pg_image_result pg_boot_install(const char *path);

/* Chooses: the trial while it has tries left, or else the last good image. Takes away a try first. */
enum pg_image_result pg_boot_choose(struct pg_boot_image *image);

/* The chosen image has completed its first tick: it is the good one from now on. 0: not recorded. */
int pg_boot_first_tick(void);

#endif
