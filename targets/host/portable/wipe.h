/* Forgetting secrets, so that no compiler takes the writes for useless. */
#ifndef PICOGRANT_WIPE_H
#define PICOGRANT_WIPE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void pg_wipe(void *bytes, size_t size) {
  volatile unsigned char *at = (volatile unsigned char *)bytes;
  while (size-- > 0) *at++ = 0;
}

#ifdef __cplusplus
}
#endif

#endif
