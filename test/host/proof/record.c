/* Proves the functions that read, write and erase record slots. They are called any number of times, on a medium that
 * has arbitrary content at each access and may fail at every call. A slot has at least the header's size, at most
 * slightly more than a piece (storage.c). A read ends at its buffer's end, so that a write beyond it is detected. */
#include "proof.h"

#include "storage.h"

enum { CAPACITY = 24 };

static const uint32_t slot_sizes[] = {8, 9, 20, 64, 128, 255, 256, 272};

/* Read and program units. The last two pairs are invalid. test/host/c/geometry.c tests longer units. */
static const uint16_t units[][2] = {{0, 0}, {3, 1}, {1, 512}};

static uint8_t capacity[CAPACITY];
static uint8_t record[CAPACITY];

static struct pg_medium medium;
static const struct pg_medium *used;

static int read_medium(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  (void)context;
  //@ assert slot_is_there: 0 <= slot <= 1;
  //@ assert within_slot: at + size <= medium.slot_bytes;
  //@ assert room_is_there: size > 0 && \valid(into + (0 .. size - 1));
  (void)slot, (void)at;
  any_bytes(into, size);
  return any_choice();
}

static int program_medium(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  (void)context;
  //@ assert slot_is_there: 0 <= slot <= 1;
  //@ assert within_slot: at + size <= medium.slot_bytes;
  //@ assert lent: size > 0 && \valid_read(bytes + (0 .. size - 1)) && \initialized(bytes + (0 .. size - 1));
  (void)slot, (void)at, (void)bytes, (void)size;
  return any_choice();
}

static int erase_medium(void *context, int slot) {
  (void)context;
  //@ assert slot_is_there: 0 <= slot <= 1;
  (void)slot;
  return any_choice();
}

static struct pg_medium medium = {
    .slot_bytes = 0, .read = read_medium, .program = program_medium, .erase = erase_medium};

static void prove_one(int slot) {
  size_t size = any_number(0, CAPACITY);
  //@ split size;
  int read = pg_storage_read(used, slot, capacity + CAPACITY - size, size);
  //@ assert fits: -1 <= read && read <= size;
  (void)read;
  any_bytes(record, CAPACITY);
  (void)pg_storage_write(used, slot, record + CAPACITY - size, size);
  (void)pg_storage_erase(used, slot);
}

void prove(void) {
  uint32_t which = any_number(0, 7);
  //@ split which;
  medium.slot_bytes = slot_sizes[which];
  uint32_t geometry = any_number(0, 2);
  //@ split geometry;
  medium.read_unit = units[geometry][0];
  medium.program_unit = units[geometry][1];
  if (any_choice()) used = &medium;
  while (any_choice()) {
    int slot = Frama_C_interval(-2, 3);
    //@ split slot;
    prove_one(slot);
    //@ merge slot;
  }
}
