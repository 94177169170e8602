/*
 * Engine and ABI of the images that this host runs (FORMAT.md): for bytecode the engine's version, byte order and
 * word size; the core's source is the same for every engine.
 */
#ifndef PICOGRANT_IMAGE_ABI_H
#define PICOGRANT_IMAGE_ABI_H

#include "core-code.h"

#ifdef __cplusplus
extern "C" {
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PG_IMAGE_ORDER "le"
#else
#define PG_IMAGE_ORDER "be"
#endif

#ifndef PG_ENGINE_VERSION
#define PG_IMAGE_ENGINE "any"
#define PG_IMAGE_ABI "es5"
#elif __SIZEOF_POINTER__ == 8
#define PG_IMAGE_ENGINE "quickjs"
#define PG_IMAGE_ABI PG_ENGINE_VERSION "-" PG_IMAGE_ORDER "64"
#else
#define PG_IMAGE_ENGINE "quickjs"
#define PG_IMAGE_ABI PG_ENGINE_VERSION "-" PG_IMAGE_ORDER "32"
#endif

#ifdef __cplusplus
}
#endif

#endif
