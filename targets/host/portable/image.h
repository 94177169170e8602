/*
 * The signed image (targets/firmware/image/FORMAT.md): the checks, in their order, each with its own
 * name and number. Nothing of payload or configuration is looked at before the signature holds.
 */
#ifndef PICOGRANT_IMAGE_H
#define PICOGRANT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Numbers 1 to 11 are FORMAT.md's. */
enum pg_image_result {
  PG_IMAGE_OK = 0,
  PG_IMAGE_TRUNCATED = 1,
  PG_IMAGE_NOT_AN_IMAGE = 2,
  PG_IMAGE_FORMAT_UNKNOWN = 3,
  PG_IMAGE_LENGTH_WRONG = 4,
  PG_IMAGE_DAMAGED = 5,
  PG_IMAGE_FOREIGN_KEY = 6,
  PG_IMAGE_SIGNATURE_WRONG = 7,
  PG_IMAGE_MALFORMED = 8,
  PG_IMAGE_WRONG_ENGINE = 9,
  PG_IMAGE_WRONG_ABI = 10,
  PG_IMAGE_ROLLBACK = 11,
  /* The host's own. */
  PG_IMAGE_UNREADABLE = 32, /* a file cannot be read or written */
  PG_IMAGE_BAD_KEY = 33,    /* the key file holds no public key */
  PG_IMAGE_NONE = 34        /* neither slot has an image */
};

/* Bytes of an image that this host takes at the most. */
enum { PG_IMAGE_MAX = 131072, PG_PUBLIC_KEY_BYTES = 32 };

/* Ranges within the checked bytes. */
struct pg_image {
  const uint8_t *code;
  size_t code_size;
  const uint8_t *config;
  size_t config_size;
  uint32_t counter;
};

/*
 * Checks `size` bytes against a public key and the device's counter for this host's engine and `abi`.
 * `image` is filled in where the result is PG_IMAGE_OK.
 */
enum pg_image_result pg_image_check(const uint8_t *bytes, size_t size,
                                    const uint8_t key[PG_PUBLIC_KEY_BYTES], const char *abi,
                                    uint32_t counter_min, struct pg_image *image);

/* FORMAT.md's name of a result, e.g. "signature-wrong". */
const char *pg_image_result_name(enum pg_image_result result);

#endif
