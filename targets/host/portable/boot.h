/*
 * Two image slots and the boot record (targets/image/FORMAT.md): which image runs, what becomes
 * of one that is not confirmed, and that nothing older than the newest confirmed one runs. Decisions only:
 * where slots and record lie is behind a struct of functions (files: ports/posix/slot-files.c; flash:
 * boot-flash.c), and SHA-512 and Ed25519 come with the rules of image.h.
 */
#ifndef PICOGRANT_BOOT_H
#define PICOGRANT_BOOT_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PG_BOOT_RECORD_BYTES = 48, PG_BOOT_TRIES = 3 };

struct pg_boot_store {
  void *context;
  /*
   * Makes the bytes of slot 0 or 1 visible: flash where it lies, or a buffer of the store's, one for each
   * slot. `size` is what is there, one byte more than the limit at the most. PG_IMAGE_OK, PG_IMAGE_NONE or
   * PG_IMAGE_UNREADABLE.
   */
  enum pg_image_result (*slot)(void *context, int slot, const uint8_t **bytes, size_t *size);
  /* Reads the header of what a slot holds now, and leaves what was made visible as it is. As `slot`. */
  enum pg_image_result (*header)(void *context, int slot, uint8_t header[PG_IMAGE_HEADER_BYTES]);
  /* Replaces a slot, durably once it returns 1. After 0, or a power cut, anything may be in it. */
  int (*write_slot)(void *context, int slot, const uint8_t *bytes, size_t size);
  /* The two copies of the record. 1, or 0: it cannot be read, or written. */
  int (*read_record)(void *context, int copy, uint8_t record[PG_BOOT_RECORD_BYTES]);
  int (*write_record)(void *context, int copy, const uint8_t record[PG_BOOT_RECORD_BYTES]);
  /*
   * A counter of the chip's own that nobody can turn back: fuses, or a monotonic counter that only the boot loader can
   * reach. With it both copies of the record may vanish, and still nothing older than what was confirmed runs.
   * `counter` says where it stands; `raise` takes it to `least` at least, durably once it returns 1. Both are NULL
   * where there is none.
   */
  uint32_t (*counter)(void *context);
  int (*raise)(void *context, uint32_t least);
  /*
   * Keeps other programs from writing: PG_IMAGE_OK, PG_IMAGE_BUSY, or PG_IMAGE_UNREADABLE where there is
   * no telling. Both are NULL where there is one program only.
   */
  enum pg_image_result (*lock)(void *context);
  void (*unlock)(void *context);
};

/* The caller's memory; only pg_boot_open and the functions below touch it, but for `runs_in_place`. */
struct pg_boot {
  const struct pg_boot_store *store;
  const struct pg_image_rules *rules;
  /* Set it after pg_boot_open where what runs is used in its slot: it is not overwritten then. */
  int runs_in_place;
  /* Set by pg_boot_choose: the record could not be written, and a trial waits for that. */
  int unwritten;
  /* Set by pg_boot_choose: the slot of a trial that did not run, or -1; and why. PG_IMAGE_NONE: its tries are used up. */
  int refused;
  enum pg_image_result refusal;
  /* The record as it was read last, and its copy; -1: there is none. */
  int copy;
  uint8_t good;
  uint8_t trial;
  uint8_t tries;
  struct pg_image_floor floor;
  uint64_t sequence;
  /* What was chosen; -1: nothing, or it is confirmed. */
  int running;
  int chosen;
  struct pg_image image;
};

/* Takes store and rules, which stay where they are. Reads nothing yet. */
void pg_boot_open(struct pg_boot *boot, const struct pg_boot_store *store,
                  const struct pg_image_rules *rules);

/*
 * Checks an image, writes it into the slot that is not to be kept, and makes that the trial. The bytes must
 * not lie in a slot. PG_IMAGE_UNREADABLE: it could not be written, and the device starts with what it had.
 */
enum pg_image_result pg_boot_install(struct pg_boot *boot, const uint8_t *bytes, size_t size);

/*
 * The same for a device whose image runs in its slot and that has no memory for a whole new one, which then comes
 * in pieces. Between the two calls `*slot` is erased and written. PG_IMAGE_IN_USE where the image that runs is
 * not confirmed: the other slot is then the one to go back to. pg_boot_end_install checks what lies there now.
 */
enum pg_image_result pg_boot_begin_install(struct pg_boot *boot, int *slot);
enum pg_image_result pg_boot_end_install(struct pg_boot *boot, int slot);

/*
 * Chooses what to run: the trial while it has tries left, one of which is taken away first; then the last
 * good image; then any valid one. A record that cannot be written keeps the trial from running, nothing else.
 */
enum pg_image_result pg_boot_choose(struct pg_boot *boot, struct pg_image *image);

/*
 * The chosen image has passed its own test: it is the good one from now on. PG_IMAGE_OK, also where another
 * image has taken its slot since and there is nothing to confirm; PG_IMAGE_BUSY or PG_IMAGE_UNREADABLE where
 * it could not be recorded: try again later. Writes nothing where it is known already.
 */
enum pg_image_result pg_boot_confirm(struct pg_boot *boot);

#ifdef __cplusplus
}
#endif

#endif
