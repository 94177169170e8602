/* The ABI of the bytecode that this host runs (FORMAT.md): engine version, byte order, word size. */
#ifndef PICOGRANT_IMAGE_ABI_H
#define PICOGRANT_IMAGE_ABI_H

#include "core-code.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PG_IMAGE_ORDER "le"
#else
#define PG_IMAGE_ORDER "be"
#endif
#if __SIZEOF_POINTER__ == 8
#define PG_IMAGE_ABI PG_ENGINE_VERSION "-" PG_IMAGE_ORDER "64"
#else
#define PG_IMAGE_ABI PG_ENGINE_VERSION "-" PG_IMAGE_ORDER "32"
#endif

#endif
