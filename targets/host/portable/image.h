/*
 * The signed image (targets/image/FORMAT.md): the checks, in their order, each with its own
 * name and number. Nothing of payload or configuration is looked at before the signature holds. Knows no
 * file and no library: SHA-512 and Ed25519 are handed in.
 */
#ifndef PICOGRANT_IMAGE_H
#define PICOGRANT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers 1 to 14 are FORMAT.md's. */
enum pg_image_result {
  PG_IMAGE_OK = 0,
  PG_IMAGE_TRUNCATED = 1,
  PG_IMAGE_NOT_AN_IMAGE = 2,
  PG_IMAGE_FORMAT_UNKNOWN = 3,
  PG_IMAGE_LENGTH_WRONG = 4,
  PG_IMAGE_DAMAGED = 5,
  PG_IMAGE_FOREIGN_KEY = 6,
  PG_IMAGE_RETIRED_KEY = 7,
  PG_IMAGE_SIGNATURE_WRONG = 8,
  PG_IMAGE_MALFORMED = 9,
  PG_IMAGE_WRONG_PRODUCT = 10,
  PG_IMAGE_WRONG_ENGINE = 11,
  PG_IMAGE_WRONG_ABI = 12,
  PG_IMAGE_WRONG_BORDER = 13,
  PG_IMAGE_ROLLBACK = 14,
  /* Of slots and boot record (boot.h). */
  PG_IMAGE_UNREADABLE = 32, /* a file, slot or record cannot be read or written */
  PG_IMAGE_BAD_KEY = 33,    /* a key file holds no public key */
  PG_IMAGE_NONE = 34,       /* there is no image */
  PG_IMAGE_BUSY = 35,       /* another program is writing */
  PG_IMAGE_IN_USE = 36      /* the slot to be written is the one that runs */
};

enum {
  PG_IMAGE_HEADER_BYTES = 240,
  PG_PUBLIC_KEY_BYTES = 32,
  PG_KEY_ID_BYTES = 16,
  PG_BORDER_BYTES = 8,
  PG_SHA512_BYTES = 64,
  PG_SIGNATURE_BYTES = 64,
  PG_KEYS_MAX = 4
};

struct pg_image_crypto {
  /* SHA-512 over two ranges, one behind the other; the second may be empty. */
  void (*sha512)(uint8_t hash[PG_SHA512_BYTES], const uint8_t *first, size_t first_size,
                 const uint8_t *second, size_t second_size);
  /*
   * Ed25519 (RFC 8032), 1: the signature is right. What libraries judge differently is refused before it
   * is asked: S that is not reduced, points that are not canonical or of small order.
   */
  int (*verify)(const uint8_t signature[PG_SIGNATURE_BYTES], const uint8_t *message, size_t size,
                const uint8_t key[PG_PUBLIC_KEY_BYTES]);
};

struct pg_image_target {
  const char *engine;
  const char *abi;
};

/* What a device holds an image against. It stays where it is while an image or slots are in use. */
struct pg_image_rules {
  const struct pg_image_crypto *crypto;
  const uint8_t (*keys)[PG_PUBLIC_KEY_BYTES]; /* the maker's, oldest first; PG_KEYS_MAX at the most */
  size_t key_count;
  const struct pg_image_target *targets; /* the pairs of engine and ABI that run here */
  size_t target_count;
  const char *product;             /* what this device is */
  uint8_t border[PG_BORDER_BYTES]; /* PG_BORDER of picogrant-numbers.h */
  size_t limit;                    /* longest image taken, in bytes; 4 MiB are the format's own limit */
  uint32_t counter_min;            /* of hardware that has a monotonic counter; else 0 */
};

/* What only changes with the boot record. */
struct pg_image_floor {
  uint32_t counter;
  uint8_t oldest_key[PG_KEY_ID_BYTES]; /* keys before it count no longer; zeros: all count */
};

/* Ranges within the checked bytes. */
struct pg_image {
  const uint8_t *code;
  size_t code_size;
  const uint8_t *config;
  size_t config_size;
  uint32_t counter;
  int retires; /* keys older than its own count no longer once it is confirmed */
  uint8_t key_id[PG_KEY_ID_BYTES];
  uint8_t hash[PG_SHA512_BYTES]; /* tells images apart */
};

/* Checks `size` bytes. `image` is filled in where the result is PG_IMAGE_OK. */
enum pg_image_result pg_image_check(const uint8_t *bytes, size_t size,
                                    const struct pg_image_rules *rules,
                                    const struct pg_image_floor *floor, struct pg_image *image);

/*
 * For memory that does not know how long its content is: the length that an image at its beginning says
 * it has; `capacity` where it is no image, or would not fit.
 */
size_t pg_image_length(const uint8_t *bytes, size_t capacity);

/* Where in the list of keys the key of this id is; 0 where it is none of them. */
size_t pg_image_key_order(const struct pg_image_rules *rules, const uint8_t id[PG_KEY_ID_BYTES]);

/* FORMAT.md's name of a result, e.g. "signature-wrong". */
const char *pg_image_result_name(enum pg_image_result result);

#ifdef __cplusplus
}
#endif

#endif
