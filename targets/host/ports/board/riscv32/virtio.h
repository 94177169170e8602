/* Devices of virtio 1.x over memory, with split queues (OASIS virtio 1.1, sections 2.6 and 4.2). */
#ifndef PICOGRANT_BOARD_VIRTIO_H
#define PICOGRANT_BOARD_VIRTIO_H

#include <stdint.h>

enum { VIRTIO_NET = 1, VIRTIO_RANDOM = 4, VIRTIO_QUEUE = 4 };

struct virtio_descriptor {
  uint32_t address;
  uint32_t address_high;
  uint32_t size;
  uint16_t flags;
  uint16_t next;
};

/* One descriptor for each entry: nothing is chained. */
struct virtio_queue {
  struct virtio_descriptor descriptors[VIRTIO_QUEUE] __attribute__((aligned(16)));
  struct {
    uint16_t flags;
    uint16_t index;
    uint16_t ring[VIRTIO_QUEUE];
    uint16_t unused;
  } available __attribute__((aligned(4)));
  volatile struct {
    uint16_t flags;
    uint16_t index;
    struct {
      uint32_t id;
      uint32_t size;
    } ring[VIRTIO_QUEUE];
    uint16_t unused;
  } used __attribute__((aligned(4)));
  uint16_t taken; /* of `used` */
};

/* The place of the first device of a kind, reset, with these features (of the first 32); -1: there is none. */
int virtio_open(uint32_t kind, uint32_t features);

/* Makes a queue of the device, empty. */
void virtio_queue_open(int place, uint32_t number, struct virtio_queue *queue);

/* The device may begin. */
void virtio_start(int place);

/* Offers a buffer, `slot` 0..VIRTIO_QUEUE - 1; `is_written`: the device writes it. */
void virtio_offer(int place, uint32_t number, struct virtio_queue *queue, uint16_t slot, void *bytes,
                  uint32_t size, int is_written);

/* The slot of the next buffer that the device is done with, and its size; -1: none. */
int virtio_take(struct virtio_queue *queue, uint32_t *size);

#endif
