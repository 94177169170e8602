/* A heap with a limit (heap.h): each device has one in its struct pg_core, and a program reads its figures. */
#include "heap.h"

int main(void) {
  static struct pg_heap heap;
  heap.limit = 1000;
  void *block = pg_heap_take(&heap, 100);
  if (!block || heap.blocks != 1 || heap.used < 100 + PG_HEAP_OVERHEAD) return 1;
  if (pg_heap_take(&heap, 2000) || heap.refused != 1) return 2;
  void *longer = pg_heap_resize(&heap, block, 200);
  if (!longer || pg_heap_size(longer) < 200) return 3;
  pg_heap_give(&heap, longer);
  return heap.used == 0 && heap.peak >= 200 ? 0 : 4;
}
