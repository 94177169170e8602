/* Includes picogrant.c for WebAssembly. -Dstatic= makes all of its functions callable by the tests of the sources. */
#include "picogrant.c"

/* Sets counters close to their wrap. Otherwise a test would need thousands of steps. */
void setCounters(struct pg_core *core, int32_t value) { core->request_id = core->moves = value; }

enum { MEMORY_MAX = 65535 };
struct pg_core theCore;
uint8_t theMemory[MEMORY_MAX];

struct pg_core *coreOf(void) { return &theCore; }
uint8_t *memoryOf(void) { return theMemory; }
