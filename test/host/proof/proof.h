/* The values that the proofs assume for inputs: any values within these ranges. Only Frama-C reads this file. */
#ifndef PICOGRANT_PROOF_H
#define PICOGRANT_PROOF_H

#include <__fc_builtin.h>
#include <stddef.h>
#include <stdint.h>

static uint32_t any_number(uint32_t least, uint32_t most) { return Frama_C_unsigned_int_interval(least, most); }

static int any_choice(void) { return Frama_C_interval(0, 1); }

static void any_bytes(uint8_t *bytes, size_t size) { Frama_C_make_unknown((char *)bytes, size); }

#endif
