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
#include "map.h"
#include "mps2.h"
#include "page.h"
#include "slots.h"

enum { AT_RELEASE = 112, RELEASE_BYTES = 32 };

extern uint32_t loader_stack_top[], loader_bss_start[], loader_bss_end[];

struct loader_kept loader_kept __attribute__((section(".kept")));

void loader_reset(void);

static void restart(void) {
  SCB_RESET_CONTROL = SCB_RESET_REQUEST;
  for (;;) continue;
}

static void on_fault(void) {
  board_log("loader: fault; restarting\n");
  restart();
}

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
  for (;;) __asm__ volatile("wfi");
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

/* Its vectors name its stack and its first instruction. */
static void run(const struct pg_image *image) {
  uintptr_t vectors = (uintptr_t)image->code + MAP_VECTORS_OFFSET - MAP_IMAGE_HEADER_BYTES;
  const uint32_t *words = (const uint32_t *)vectors;
  SCB_VECTORS = vectors;
  __asm__ volatile("msr msp, %0\n dsb\n isb\n bx %1" ::"r"(words[0]), "r"(words[1]) : "memory");
}

static int main_of_loader(void) {
  struct pg_image image;
  board_uart_open();
  /* Keys wait in the UART for the firmware. */
  NVIC_DISABLE = 0xffffffff;
  board_watchdog_open();
  take_rules();
  choose(&image);
  board_watchdog_feed();
  run(&image);
  return 0;
}

void loader_reset(void) {
  for (uint32_t *word = loader_bss_start; word < loader_bss_end; word++) *word = 0;
  main_of_loader();
  restart();
}

__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  void (*system[15])(void);
  void (*interrupts[IRQ_COUNT])(void);
} vectors = {
    .stack = loader_stack_top,
    .system = {[0] = loader_reset, [1 ... 14] = on_fault},
    .interrupts = {[0 ... IRQ_COUNT - 1] = on_fault},
};
_Static_assert(sizeof vectors <= MAP_SERVICES_OFFSET,
               "map.h: MAP_SERVICES_OFFSET is behind the loader's vectors");
