/*
 * The reader of JSON, which takes device.json value by value: any bytes, 0 to LONGEST of them; and as many behind
 * beginnings that lead to what so few bytes do not reach, escapes and depth. The text lies at the very end of its
 * buffer, so that one byte behind it would be one too many.
 */
#include "proof.h"

#include "json.h"

enum { LONGEST = 5, BEGINNING = 9 };

static char buffer[BEGINNING + LONGEST];

static const char *const beginnings[] = {"", "\"\\u", "\"\\ud83d\\u", "[[[[[[[", "{\"a\":[{\"", "-1.0e"};

void prove(void) {
  struct pg_json json;
  uint32_t which = any_number(0, 5);
  //@ split which;
  uint32_t size = any_number(0, LONGEST);
  //@ split size;
  const char *beginning = beginnings[which];
  uint32_t ahead = 0;
  while (beginning[ahead]) ahead++;
  char *text = buffer + BEGINNING + LONGEST - ahead - size;
  any_bytes((uint8_t *)buffer, BEGINNING + LONGEST);
  for (uint32_t i = 0; i < ahead; i++) text[i] = beginning[i];
  pg_json_start(&json, text, ahead + size);
  (void)pg_json_skip(&json);
  (void)pg_json_at_end(&json);
}
