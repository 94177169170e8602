/*
 * The checks of an image: bytes of any value. Exactly, at the very end of their buffer, as many as lie around the
 * lengths at which something changes (0, the header, the shortest image). And roughly: as many as the format
 * allows, and one more. And each number of keys, exactly.
 */
#include "any-crypto.h"

enum {
  HEADER = PG_IMAGE_HEADER_BYTES,
  WHOLE = PG_IMAGE_HEADER_BYTES + PG_SIGNATURE_BYTES,
  NEAR = WHOLE + 8,
  FAR = 4194305
};

static uint8_t near[NEAR];
static uint8_t far[FAR];
static struct pg_image_rules rules;
static struct pg_image_floor floor;
static struct pg_image image;

/* `size` bytes, which the caller knows exactly. */
static void prove_exactly(size_t size) {
  uint8_t *bytes = near + NEAR - size;
  any_bytes(near, NEAR);
  (void)pg_image_check(bytes, size, &rules, &floor, &image);
  size_t length = pg_image_length(bytes, size);
  //@ assert length_fits: length <= size;
  (void)length;
}

/* So many keys, at the very end of their memory: one behind the last is not there to be read. */
static void prove_keys(size_t count) {
  rules.keys = any_keys + (PG_KEYS_MAX - count);
  rules.key_count = count;
  any_bytes(near, NEAR);
  (void)pg_image_key_order(&rules, floor.oldest_key);
  (void)pg_image_check(near, NEAR, &rules, &floor, &image);
}

static void prove_far(void) {
  size_t size = any_number(0, FAR);
  any_bytes(far, FAR);
  (void)pg_image_check(far, size, &rules, &floor, &image);
  (void)pg_image_length(far, size);
}

void prove(void) {
  any_rules(&rules);
  any_floor(&floor);
  (void)pg_image_result_name(any_number(0, 64));
  (void)pg_image_key_order(&rules, floor.oldest_key);
  if (any_choice()) {
    prove_far();
    return;
  }
  if (any_choice()) {
    for (size_t count = 0; count <= PG_KEYS_MAX; count++) prove_keys(count);
    return;
  }
  /* What a length decides is decided where it changes. */
  for (size_t size = 0; size <= 24; size++) prove_exactly(size);
  for (size_t size = HEADER - 2; size <= HEADER + 2; size++) prove_exactly(size);
  for (size_t size = WHOLE - 2; size <= NEAR; size++) prove_exactly(size);
}
