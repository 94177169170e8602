/* Forgetting secrets, so that no compiler takes the writes for useless. */
#ifndef PICOGRANT_WIPE_H
#define PICOGRANT_WIPE_H

#include <stddef.h>

static inline void pg_wipe(void *bytes, size_t size) {
  volatile unsigned char *at = bytes;
  while (size-- > 0) *at++ = 0;
}

#endif
