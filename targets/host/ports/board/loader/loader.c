/*
 * The boot loader of FORMAT.md on the board: the first program after each reset. It checks the images in the two
 * slots, chooses one, starts the watchdog and runs it. Nothing of an image is looked at before its signature
 * holds. While the firmware runs the loader's code is what it asks to install and to confirm (services.h).
 */
#include <string.h>

#include "board.h"
#include "image-crypto.h"
#include "kept.h"
#include "later-settings.h"
#include "machine.h"
#include "page.h"
#include "slots.h"

enum { AT_RELEASE = 112, RELEASE_BYTES = 32 };

struct loader_kept loader_kept __attribute__((section(".kept")));

static void say_slot(const char *what, int slot) {
  board_log("loader: ");
  board_log(what);
  board_log(slot == 0 ? " slot A" : " slot B");
}

/* Nothing can run. Whoever flashes the board reads why; the watchdog tries again by and by. */
static void stop(const char *why) {
  board_log("loader: ");
  board_log(why);
  board_log("\n");
  for (;;) loader_rest();
}

static void take_rules(void) {
  const struct loader_page *page = &board_loader_page;
  if (!loader_page_is_right()) stop("its page is not programmed, or damaged");
  /* The border is none: an image brings its own core and host. */
  loader_kept.rules = (struct pg_image_rules){
      .crypto = &pg_image_crypto,
      .keys = page->keys,
      .key_count = page->key_count,
      .product = page->product,
      .counter_min = page->counter_min,
  };
}

/* Why a trial that was to run does not. */
static void report_trial(const struct pg_boot *boot) {
  say_slot("the trial in", boot->refused);
  if (boot->unwritten) {
    board_log(" waits: the boot record cannot be written\n");
  } else if (boot->refusal == PG_IMAGE_NONE) {
    board_log(" was not confirmed, and is given up\n");
  } else {
    board_log(" is refused: ");
    board_log(pg_image_result_name(boot->refusal));
    board_log("\n");
  }
}

static void choose(struct pg_image *image) {
  struct pg_boot *boot = &loader_kept.boot;
  loader_slots_open(&loader_kept.store, &loader_kept.rules);
  pg_boot_open(boot, &loader_kept.store, &loader_kept.rules);
  boot->runs_in_place = 1;
  loader_kept.slot = -1;
  enum pg_image_result result = pg_boot_choose(boot, image);
  if (boot->refused >= 0) report_trial(boot);
  if (result != PG_IMAGE_OK) stop(pg_image_result_name(result));
  later_settings_choose();
  say_slot(boot->trial == boot->chosen ? "tries" : "runs", boot->chosen);
  board_log(", release ");
  const uint8_t *release = loader_slot(boot->chosen) + AT_RELEASE;
  board_log_bytes(release, strnlen((const char *)release, RELEASE_BYTES));
  board_log("\n");
}

void loader_main(void) {
  struct pg_image image;
  board_uart_open();
  loader_quiet();
  board_watchdog_open();
  take_rules();
  choose(&image);
  board_watchdog_feed();
  loader_run(image.code);
}
