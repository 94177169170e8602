/*
 * The reader of device.json: any bytes, 0 to LONGEST of them, behind beginnings that lead into each kind of member,
 * and to a second name in one object; a room for what is put together that is enough for it, and one that is not.
 * The text lies at the very end of its buffer, the room at that of its own.
 */
#include "proof.h"

#include "config.h"

/* Of Frama-C's own one may get any answer, and every member could be meant by every name of its length. */
int memcmp(const void *one, const void *other, size_t size) {
  const unsigned char *a = one;
  const unsigned char *b = other;
  for (size_t i = 0; i < size; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

enum { LONGEST = 2, BEGINNING = 48, CAPACITY = 24, SMALL_CAPACITY = 7 };

static char buffer[BEGINNING + LONGEST];
static char capacity[CAPACITY];

static const char *const beginnings[] = {
    "",
    "{\"",
    "{\"http\":{\"",
    "{\"control\":[",
    "{\"clientId\":\"",
    "{\"storage\":{\"directory\":\"",
    "{\"limits\":{\"renewals\":",
    "{\"autoStart\":tru",
    "{\"clientAuthentication\":\"none",
    "{\"deviceParameters\":{\"a\":\"b\",\"",
    "{\"tokenParameters\":{\"a\":\"",
    "{\"headers\":{\"grant\":{\"a\":\"b\",\"",
    "{\"headers\":{\"resource\":{\"ab\":\"",
    "{\"messages\":{\"",
    "{\"messages\":{\"busy\":\"",
};
enum { BEGINNINGS = sizeof beginnings / sizeof *beginnings };

void prove(void) {
  struct pg_config config;
  uint32_t which = any_number(0, BEGINNINGS - 1);
  //@ split which;
  uint32_t size = any_number(0, LONGEST);
  //@ split size;
  int is_enough = any_choice();
  //@ split is_enough;
  const char *beginning = beginnings[which];
  size_t capacity_size = SMALL_CAPACITY;
  if (is_enough) capacity_size = CAPACITY;
  uint32_t ahead = 0;
  while (beginning[ahead]) ahead++;
  char *text = buffer + BEGINNING + LONGEST - ahead - size;
  any_bytes((uint8_t *)buffer, BEGINNING + LONGEST);
  for (uint32_t i = 0; i < ahead; i++) text[i] = beginning[i];
  (void)pg_config_read(&config, text, ahead + size, capacity + CAPACITY - capacity_size, capacity_size);
}
