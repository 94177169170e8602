/* Devices of virtio. Contract in virtio.h. */
#include "virtio.h"

#include <string.h>

#include "virt.h"

enum {
  MAGIC = 0x00,
  VERSION = 0x04,
  KIND = 0x08,
  DRIVER_FEATURES = 0x20,
  DRIVER_FEATURES_SELECT = 0x24,
  QUEUE_SELECT = 0x30,
  QUEUE_SIZE = 0x38,
  QUEUE_READY = 0x44,
  QUEUE_NOTIFY = 0x50,
  STATUS = 0x70,
  QUEUE_DESCRIPTORS = 0x80,
  QUEUE_AVAILABLE = 0x90,
  QUEUE_USED = 0xa0
};
enum { MAGIC_WORD = 0x74726976, ACKNOWLEDGED = 1, HAS_DRIVER = 2, DRIVER_OK = 4, FEATURES_OK = 8 };
enum { IS_WRITTEN = 2, VERSION_1 = 1 << 0 };

static void fence(void) { __asm__ volatile("fence" ::: "memory"); }

static int find(uint32_t kind) {
  for (int place = 0; place < VIRTIO_PLACES; place++) {
    if (VIRTIO(place, MAGIC) == MAGIC_WORD && VIRTIO(place, VERSION) == 2 && VIRTIO(place, KIND) == kind) {
      return place;
    }
  }
  return -1;
}

int virtio_open(uint32_t kind, uint32_t features) {
  int place = find(kind);
  if (place < 0) return -1;
  VIRTIO(place, STATUS) = 0;
  VIRTIO(place, STATUS) = ACKNOWLEDGED | HAS_DRIVER;
  VIRTIO(place, DRIVER_FEATURES_SELECT) = 0;
  VIRTIO(place, DRIVER_FEATURES) = features;
  VIRTIO(place, DRIVER_FEATURES_SELECT) = 1;
  VIRTIO(place, DRIVER_FEATURES) = VERSION_1;
  VIRTIO(place, STATUS) = ACKNOWLEDGED | HAS_DRIVER | FEATURES_OK;
  return VIRTIO(place, STATUS) & FEATURES_OK ? place : -1;
}

static void set_address(int place, uint32_t offset, const volatile void *address) {
  VIRTIO(place, offset) = (uint32_t)(uintptr_t)address;
  VIRTIO(place, offset + 4) = 0;
}

void virtio_queue_open(int place, uint32_t number, struct virtio_queue *queue) {
  memset(queue, 0, sizeof *queue);
  VIRTIO(place, QUEUE_SELECT) = number;
  VIRTIO(place, QUEUE_SIZE) = VIRTIO_QUEUE;
  set_address(place, QUEUE_DESCRIPTORS, queue->descriptors);
  set_address(place, QUEUE_AVAILABLE, &queue->available);
  set_address(place, QUEUE_USED, &queue->used);
  VIRTIO(place, QUEUE_READY) = 1;
}

void virtio_start(int place) {
  VIRTIO(place, STATUS) = ACKNOWLEDGED | HAS_DRIVER | FEATURES_OK | DRIVER_OK;
}

void virtio_offer(int place, uint32_t number, struct virtio_queue *queue, uint16_t slot, void *bytes,
                  uint32_t size, int is_written) {
  queue->descriptors[slot] = (struct virtio_descriptor){
      (uint32_t)(uintptr_t)bytes, 0, size, is_written ? IS_WRITTEN : 0, 0};
  queue->available.ring[queue->available.index % VIRTIO_QUEUE] = slot;
  fence();
  queue->available.index++;
  fence();
  VIRTIO(place, QUEUE_NOTIFY) = number;
}

int virtio_take(struct virtio_queue *queue, uint32_t *size) {
  fence();
  if (queue->taken == queue->used.index) return -1;
  int at = queue->taken % VIRTIO_QUEUE;
  queue->taken++;
  *size = queue->used.ring[at].size;
  return (int)(queue->used.ring[at].id % VIRTIO_QUEUE);
}
