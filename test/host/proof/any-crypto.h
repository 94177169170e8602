/*
 * Stands in for SHA-512 and Ed25519: it may be handed nothing but what can be read, and says anything. So the proofs
 * hold whatever the cryptography answers, and say nothing about its own code.
 */
#ifndef PICOGRANT_ANY_CRYPTO_H
#define PICOGRANT_ANY_CRYPTO_H

#include "image.h"
#include "proof.h"

static void any_sha512(uint8_t hash[PG_SHA512_BYTES], const uint8_t *first, size_t first_size,
                       const uint8_t *second, size_t second_size) {
  //@ assert first_lent: first_size == 0 || \valid_read(first + (0 .. first_size - 1));
  //@ assert second_lent: second_size == 0 || \valid_read(second + (0 .. second_size - 1));
  (void)first, (void)first_size, (void)second, (void)second_size;
  any_bytes(hash, PG_SHA512_BYTES);
}

static int any_verdict(const uint8_t signature[PG_SIGNATURE_BYTES], const uint8_t *message,
                       size_t size, const uint8_t key[PG_PUBLIC_KEY_BYTES]) {
  //@ assert signature_lent: \valid_read(signature + (0 .. 63));
  //@ assert message_lent: size == 0 || \valid_read(message + (0 .. size - 1));
  //@ assert key_lent: \valid_read(key + (0 .. 31));
  (void)signature, (void)message, (void)size, (void)key;
  return any_choice();
}

static const struct pg_image_crypto any_crypto = {any_sha512, any_verdict};

static uint8_t any_keys[PG_KEYS_MAX][PG_PUBLIC_KEY_BYTES];
static char any_product[48];
static char any_engine[48];
static char any_abi[48];
static struct pg_image_target any_targets[2];

/* A text of 0 to 47 characters. */
static void any_text(char text[48]) {
  any_bytes((uint8_t *)text, 48);
  text[47] = 0;
}

/* What a device may hold an image against: 0 to 4 keys, 0 to 2 targets, all else of any value. */
static void any_rules(struct pg_image_rules *rules) {
  any_bytes((uint8_t *)any_keys, sizeof any_keys);
  any_text(any_product);
  any_text(any_engine);
  any_text(any_abi);
  for (int i = 0; i < 2; i++) {
    any_targets[i].engine = any_engine;
    any_targets[i].abi = any_abi;
  }
  rules->crypto = &any_crypto;
  rules->keys = any_keys;
  rules->key_count = any_number(0, PG_KEYS_MAX);
  rules->targets = any_targets;
  rules->target_count = any_number(0, 2);
  rules->product = any_product;
  any_bytes(rules->border, PG_BORDER_BYTES);
  rules->limit = any_number(0, 0xffffffff);
  rules->counter_min = any_number(0, 0xffffffff);
}

static void any_floor(struct pg_image_floor *floor) {
  floor->counter = any_number(0, 0xffffffff);
  any_bytes(floor->oldest_key, PG_KEY_ID_BYTES);
}

#endif
