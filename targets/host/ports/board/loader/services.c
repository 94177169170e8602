/* What the firmware may ask of the loader. Contract in services.h. */
#include "services.h"

#include "kept.h"
#include "later-settings.h"
#include "map.h"
#include "slots.h"

enum { NONE = -1 };

static enum pg_image_result confirm(void) { return pg_boot_confirm(&loader_kept.boot); }

static enum pg_image_result begin_update(int *slot) {
  loader_kept.slot = NONE;
  enum pg_image_result result = pg_boot_begin_install(&loader_kept.boot, slot);
  if (result != PG_IMAGE_OK) return result;
  loader_kept.slot = *slot;
  loader_kept.written = 0;
  loader_kept.is_settings = 0;
  return PG_IMAGE_OK;
}

static void begin_settings(void) {
  loader_kept.slot = loader_kept.settings_slot == 0 ? 1 : 0;
  loader_kept.written = 0;
  loader_kept.is_settings = 1;
}

static int write_update(const uint8_t *bytes, size_t size) {
  int slot = loader_kept.slot;
  if (slot == NONE) return 0;
  int ok = loader_kept.is_settings
               ? loader_settings_write(slot, loader_kept.written, bytes, size)
               : loader_slot_write(slot, loader_kept.written, bytes, size);
  if (ok) loader_kept.written += (uint32_t)size;
  else loader_kept.slot = NONE;
  return ok;
}

/* What the slot held before may go on behind what has come: the length that counts is of what has come. */
static enum pg_image_result check_length(const uint8_t *bytes, size_t capacity) {
  size_t length = pg_image_length(bytes, capacity);
  if (loader_kept.written < PG_IMAGE_HEADER_BYTES) return PG_IMAGE_TRUNCATED;
  if (length == capacity) return PG_IMAGE_OK; /* no image, or too long a one: that is said by the check */
  if (loader_kept.written == length) return PG_IMAGE_OK;
  return loader_kept.written < length ? PG_IMAGE_TRUNCATED : PG_IMAGE_LENGTH_WRONG;
}

static enum pg_image_result end_update(void) {
  int slot = loader_kept.slot;
  loader_kept.slot = NONE;
  if (slot == NONE || loader_kept.written == 0) return PG_IMAGE_NONE;
  if (loader_kept.is_settings) {
    enum pg_image_result result = check_length(loader_settings_slot(slot), MAP_SETTINGS_BYTES);
    return result == PG_IMAGE_OK ? later_settings_take(slot) : result;
  }
  enum pg_image_result result = check_length(loader_slot(slot), MAP_SLOT_BYTES);
  return result == PG_IMAGE_OK ? pg_boot_end_install(&loader_kept.boot, slot) : result;
}

static const uint8_t *settings(size_t *size, uint32_t *counter) {
  int is_there = loader_kept.settings_slot != NONE;
  *size = is_there ? loader_kept.settings.code_size : 0;
  *counter = is_there ? loader_kept.settings.counter : 0;
  return is_there ? loader_kept.settings.code : NULL;
}

const struct loader_services loader_services __attribute__((section(".services"))) = {
    .confirm = confirm,
    .begin_update = begin_update,
    .begin_settings = begin_settings,
    .write_update = write_update,
    .end_update = end_update,
    .settings = settings,
    .result_name = pg_image_result_name,
};
