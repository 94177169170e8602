/* picogrant.c for WebAssembly, so that the tests of the core's sources run on it, with all of its functions (-Dstatic=). */
#include "picogrant.c"

/* Sets counters close to their wrap, to save a test the steps to it. */
void setCounters(struct pg_core *core, int32_t value) { core->request_id = core->moves = value; }

enum { MEMORY_MAX = 65535 };
struct pg_core theCore;
uint8_t theMemory[MEMORY_MAX];

struct pg_core *coreOf(void) { return &theCore; }
uint8_t *memoryOf(void) { return theMemory; }
