/* Randomness from virtio's generator, which seeds one of our own at the start. Without it TLS is refused. */
#include <bearssl.h>
#include <string.h>

#include "board.h"
#include "clock.h"
#include "virtio.h"

enum { SEED_BYTES = 32, WAIT_MS = 1000 };

static br_hmac_drbg_context generator;
static struct virtio_queue queue;
static uint8_t seed[SEED_BYTES];
static int is_seeded;

int board_entropy_open(void) {
  uint32_t size = 0;
  uint32_t began = pg_clock_ms();
  int place = virtio_open(VIRTIO_RANDOM, 0);
  if (place < 0) return 0;
  virtio_queue_open(place, 0, &queue);
  virtio_start(place);
  virtio_offer(place, 0, &queue, 0, seed, sizeof seed, 1);
  while (virtio_take(&queue, &size) < 0) {
    if (pg_clock_ms() - began > WAIT_MS) return 0;
  }
  br_hmac_drbg_init(&generator, &br_sha256_vtable, seed, sizeof seed);
  memset(seed, 0, sizeof seed);
  is_seeded = size == sizeof seed;
  return is_seeded;
}

int pg_random(uint8_t *bytes, size_t size) {
  if (!is_seeded) return 0;
  br_hmac_drbg_generate(&generator, bytes, size);
  return 1;
}
