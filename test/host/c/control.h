/*
 * A firmware's own engine, for each engine: on a heap whose figures can be read.
 */
#include "heap.h"

void *firmware_engine(struct pg_heap *heap);

/*
 * The control of a count of allocations: prints `control-object N` and `control-name N`, what the very same counter sees
 * of an engine that makes an object, and looks up a name that is new to it.
 */
void control(void *engine, struct pg_heap *heap);

void end_firmware_engine(void *engine);
