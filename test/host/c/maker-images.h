/* A maker's images of rising counters, from files, and rules that take them: what boots over flash are tried with. */
#ifndef PICOGRANT_MAKER_IMAGES_H
#define PICOGRANT_MAKER_IMAGES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot-flash.h"
#include "image-crypto.h"

/* SLOT comes from whoever includes this: the bytes of a slot. */
enum { RECORD = 64, IMAGES = 4 };
enum { OLD, TRIAL, NEW, LATER };

struct flash {
  uint8_t slots[2][SLOT];
  uint8_t records[2][RECORD];
};

static struct flash flash;
static uint8_t images[IMAGES][SLOT];
static size_t sizes[IMAGES];
static uint8_t key[1][PG_PUBLIC_KEY_BYTES];
static struct pg_image_target target = {"quickjs", NULL};
static struct pg_image_rules rules = {.crypto = &pg_image_crypto, .limit = SLOT};

static size_t read_file(const char *path, uint8_t *into, size_t size) {
  FILE *file = fopen(path, "rb");
  size_t got = file ? fread(into, 1, size, file) : 0;
  if (file) fclose(file);
  return got;
}

/* Reads KEY PRODUCT ABI OLD TRIAL NEW LATER; exit code 2 where a file cannot be read. */
static void read_images(char **words) {
  if (read_file(words[0], key[0], sizeof key[0]) != sizeof key[0]) exit(2);
  for (int image = 0; image < IMAGES; image++) {
    memset(images[image], 0xff, SLOT);
    sizes[image] = read_file(words[3 + image], images[image], SLOT);
    if (sizes[image] == 0 || sizes[image] != sizes[OLD]) exit(2);
  }
  rules.keys = (const uint8_t(*)[PG_PUBLIC_KEY_BYTES])key;
  rules.key_count = 1;
  rules.product = words[1];
  target.abi = words[2];
  rules.targets = &target;
  rules.target_count = 1;
}

/* As the factory wrote it. */
static void factory(void) {
  memset(&flash, 0xff, sizeof flash);
  memcpy(flash.slots[0], images[OLD], sizes[OLD]);
}

#endif
