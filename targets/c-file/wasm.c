/*
 * picogrant.c for WebAssembly, so that the tests of the core's sources run on it: its functions by the names that they have
 * there (-Dstatic=), and what takes the place of the C library.
 */
#include "picogrant.c"

void *memset(void *bytes, int value, size_t size) {
  uint8_t *at = bytes;
  for (size_t i = 0; i < size; i++) at[i] = (uint8_t)value;
  return bytes;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  uint8_t *written = to;
  const uint8_t *read = from;
  for (size_t i = 0; i < size; i++) written[i] = read[i];
  return to;
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

/* A test saves itself the way to where the counters turn over. */
void setCounters(struct pg_core *core, int32_t value) { core->requestId = core->moves = value; }

enum { MEMORY_MAX = 65535 };
struct pg_core theCore;
uint8_t theMemory[MEMORY_MAX];

struct pg_core *coreOf(void) { return &theCore; }
uint8_t *memoryOf(void) { return theMemory; }
