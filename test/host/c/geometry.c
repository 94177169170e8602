/* Tests records on flash with read and program units of 1 to 256 bytes, with and without ECC. With ECC, a
 * half-programmed unit cannot be read. The power fails after each unit of a write. Afterwards, the slot must not have
 * an incomplete record, and must not be reported as empty unless it is empty. The other slot must be unchanged. With
 * keys, the same holds for records that are bound to a key, and a host without keys must not use them. Output:
 * `geometries N cuts M`; exit code 1 at the first fault. */
#include <stdio.h>
#include <string.h>

#include "storage.h"
#ifdef PG_KEYS
#include "keys.h"
#endif

enum { SLOT = 1024, OLD = 300, NEW = 411 };

static uint8_t cells[2][SLOT];
static uint8_t is_programmed[2][SLOT];
static uint8_t is_torn[2][SLOT];
static struct pg_medium medium;
static const struct pg_medium *records = &medium; /* the medium as the host uses it */
#ifdef PG_KEYS
static struct pg_keys keys[3];
#endif
static int has_code; /* 1: the flash has ECC, so incomplete units cannot be read */
static long budget;  /* units until the power cut; -1: no cut */
static const char *fault;

static void blame(const char *what) {
  if (!fault) fault = what;
}

static size_t unit_of(uint16_t unit) { return unit ? unit : 1; }

static int is_whole(uint32_t at, size_t size, size_t unit) {
  return size > 0 && at % unit == 0 && size % unit == 0 && at + size <= SLOT;
}

static int read_slot(void *context, int slot, uint32_t at, uint8_t *into, size_t size) {
  if (context != cells) blame("the context is not handed through");
  if (!is_whole(at, size, unit_of(medium.read_unit))) blame("reads other than whole units");
  for (size_t i = 0; i < size; i++) {
    if (has_code && is_torn[slot][at + i]) return PG_MEDIUM_CORRUPT;
  }
  memcpy(into, cells[slot] + at, size);
  return PG_MEDIUM_DONE;
}

static int program_slot(void *context, int slot, uint32_t at, const uint8_t *bytes, size_t size) {
  size_t unit = unit_of(medium.program_unit);
  (void)context;
  if (!is_whole(at, size, unit)) blame("programs other than whole units");
  for (size_t done = 0; done < size; done += unit) {
    uint32_t here = at + (uint32_t)done;
    if (is_programmed[slot][here]) blame("programs a unit twice");
    memset(is_programmed[slot] + here, 1, unit);
    size_t count = budget == 0 ? unit / 2 : unit;
    for (size_t i = 0; i < count; i++) cells[slot][here + i] &= bytes[done + i];
    if (budget == 0) {
      memset(is_torn[slot] + here, 1, unit);
      return PG_MEDIUM_FAILED;
    }
    if (budget > 0) budget--;
  }
  return PG_MEDIUM_DONE;
}

static int erase_slot(void *context, int slot) {
  size_t count = budget == 0 ? SLOT / 2 : SLOT;
  (void)context;
  memset(cells[slot], 0xff, count);
  memset(is_programmed[slot], 0, count);
  memset(is_torn[slot], 0, count);
  if (budget == 0) return PG_MEDIUM_FAILED;
  if (budget > 0) budget--;
  return PG_MEDIUM_DONE;
}

static uint8_t older[OLD];
static uint8_t newer[NEW];
static uint8_t found[SLOT];

static int holds(int slot, const uint8_t *record, int size) {
  return pg_storage_read(records, slot, found, sizeof found) == size &&
         memcmp(found, record, (size_t)size) == 0;
}

static int is_blank(int slot) {
  for (int i = 0; i < SLOT; i++) {
    if (cells[slot][i] != 0xff) return 0;
  }
  return 1;
}

static void begin(void) {
  budget = -1;
  (void)pg_storage_erase(records, 0);
  (void)pg_storage_erase(records, 1);
  if (!pg_storage_write(records, 0, older, OLD) || !pg_storage_write(records, 1, older, OLD)) {
    blame("a record cannot be written");
  }
  if (!holds(0, older, OLD)) blame("a record that was written is not read");
}

/* Makes one power cut. Returns 1 if the write was complete. */
static int cut(long units) {
  begin();
  budget = units;
  int done = pg_storage_write(records, 0, newer, NEW);
  budget = -1;
  int length = pg_storage_read(records, 0, found, sizeof found);
  int is_new = length == NEW && memcmp(found, newer, NEW) == 0;
  int is_old = length == OLD && memcmp(found, older, OLD) == 0;
  if (done && !is_new) blame("a write is said to be durable, and is not");
  if (length == 0 && !is_blank(0)) blame("a slot is said to be empty, and is not");
  if (length > 1 && !is_new && !is_old) blame("something is read that was never written");
  if (length < 0) blame("a cut makes the slot unreadable for good");
#ifdef PG_KEYS
  if (keys[0].has_other_record) blame("a part of a header is taken for another key's record");
#endif
  if (!holds(1, older, OLD)) blame("the other slot has changed");
  if (!pg_storage_write(records, 0, newer, NEW) || !holds(0, newer, NEW)) blame("the slot is lost");
  return done;
}

static void check_capacity(void) {
  static uint8_t longest[SLOT];
  uint32_t capacity = pg_storage_capacity(records);
  budget = -1;
  memset(longest, 'l', sizeof longest);
  if (!pg_storage_write(records, 0, longest, capacity) || !holds(0, longest, (int)capacity)) {
    blame("the longest record does not fit");
  }
  if (pg_storage_write(records, 0, longest, capacity + 1)) blame("a longer one is taken");
}

#ifdef PG_KEYS
static const struct pg_settings settings = {.dpop = 1};

static void check_keys(void) {
  static const struct pg_signer signers[] = {{.x = {'F', 'S'}}, {.x = {'F', 'R'}}, {.x = {'F', 'V'}}};
  for (int i = 0; i < 3; i++) {
    keys[i] = (struct pg_keys){.signer = &signers[i], .settings = &settings};
    records = pg_keys_medium(&keys[i], &medium);
    if (i == 0) begin();
    if (!holds(0, older, OLD)) blame("a record of a key is not read");
    if (pg_keys_replaced(&keys[i]) != (i == 2)) blame("a record is of another key");
  }
  records = &medium;
  if (pg_storage_read(records, 0, found, sizeof found) != 1) blame("a record of a key is used without it");
  begin();
  records = pg_keys_medium(&keys[0], &medium);
  if (!holds(0, older, OLD)) blame("a record of a host without keys is lost");
}
#endif

int main(void) {
  long geometries = 0;
  long cuts = 0;
  memset(older, 'o', sizeof older);
  memset(newer, 'n', sizeof newer);
  for (unsigned read = 0; read <= 256; read = read ? read * 2 : 1) {
    for (unsigned program = 0; program <= 256; program = program ? program * 2 : 1) {
      for (has_code = 0; has_code < 2; has_code++, geometries++) {
        medium = (struct pg_medium){SLOT, read_slot, program_slot, erase_slot, cells,
                                    (uint16_t)read, (uint16_t)program};
#ifdef PG_KEYS
        check_keys();
#endif
        for (long units = 0; !cut(units) && units < SLOT; units++) cuts++;
        check_capacity();
        if (!fault) continue;
        printf("read unit %u, program unit %u, code %d: %s\n", read, program, has_code, fault);
        return 1;
      }
    }
  }
  printf("geometries %ld cuts %ld\n", geometries, cuts);
  return 0;
}
