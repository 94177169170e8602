/* SHA-512 and Ed25519 for image.h, by libsodium. */
#ifndef PICOGRANT_IMAGE_CRYPTO_H
#define PICOGRANT_IMAGE_CRYPTO_H

#include "image.h"

extern const struct pg_image_crypto pg_image_crypto;

#endif
