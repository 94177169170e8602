/* What the maker sets later. Contract in later-settings.h. */
#include "later-settings.h"

#include "kept.h"
#include "map.h"
#include "slots.h"

/* The page's layout (factory.h). */
static const struct pg_image_target target = {"settings", "page-2"};

static enum pg_image_result check(int slot, uint32_t counter_min, struct pg_image *image) {
  struct pg_image_rules rules = loader_kept.rules;
  struct pg_image_floor least = loader_kept.boot.floor;
  const uint8_t *bytes = loader_settings_slot(slot);
  rules.targets = &target;
  rules.target_count = 1;
  rules.limit = MAP_SETTINGS_BYTES;
  /* The counters of images and of settings have nothing to do with each other. */
  rules.counter_min = 0;
  least.counter = counter_min;
  return pg_image_check(bytes, pg_image_length(bytes, MAP_SETTINGS_BYTES), &rules, &least, image);
}

void later_settings_choose(void) {
  loader_kept.settings_slot = -1;
  loader_kept.settings.counter = 0;
  for (int slot = 0; slot < 2; slot++) {
    struct pg_image image;
    if (check(slot, loader_kept.settings.counter, &image) != PG_IMAGE_OK) continue;
    loader_kept.settings_slot = slot;
    loader_kept.settings = image;
  }
}

enum pg_image_result later_settings_take(int slot) {
  struct pg_image image;
  uint32_t least = loader_kept.settings_slot < 0 ? 0 : loader_kept.settings.counter + 1;
  enum pg_image_result result = check(slot, least, &image);
  if (result != PG_IMAGE_OK) return result;
  loader_kept.settings_slot = slot;
  loader_kept.settings = image;
  return PG_IMAGE_OK;
}
