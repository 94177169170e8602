/* What the firmware may ask of the loader. Contract in services.h. */
#include "services.h"

#include "kept.h"
#include "slots.h"

enum { NONE = -1 };

static enum pg_image_result confirm(void) { return pg_boot_confirm(&loader_kept.boot); }

static enum pg_image_result begin_update(int *slot) {
  loader_kept.slot = NONE;
  enum pg_image_result result = pg_boot_begin_install(&loader_kept.boot, slot);
  if (result != PG_IMAGE_OK) return result;
  loader_kept.slot = *slot;
  loader_kept.written = 0;
  return PG_IMAGE_OK;
}

static int write_update(const uint8_t *bytes, size_t size) {
  if (loader_kept.slot == NONE) return 0;
  if (!loader_slot_write(loader_kept.slot, loader_kept.written, bytes, size)) {
    loader_kept.slot = NONE;
    return 0;
  }
  loader_kept.written += (uint32_t)size;
  return 1;
}

static enum pg_image_result end_update(void) {
  int slot = loader_kept.slot;
  loader_kept.slot = NONE;
  if (slot == NONE || loader_kept.written == 0) return PG_IMAGE_NONE;
  return pg_boot_end_install(&loader_kept.boot, slot);
}

const struct loader_services loader_services __attribute__((section(".services"))) = {
    .confirm = confirm,
    .begin_update = begin_update,
    .write_update = write_update,
    .end_update = end_update,
    .result_name = pg_image_result_name,
};
