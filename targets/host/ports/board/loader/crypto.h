/* SHA-512 and Ed25519 for the checks of image.h. */
#ifndef PICOGRANT_BOARD_LOADER_CRYPTO_H
#define PICOGRANT_BOARD_LOADER_CRYPTO_H

#include "image.h"

extern const struct pg_image_crypto loader_crypto;

#endif
