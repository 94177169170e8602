/* A form as JSON, piece by piece (json-body.h). */
#include "json-body.h"

#include <string.h>

int main(void) {
  const char form[] = "client_id=tv&scope=a+b";
  const char expected[] = "{\"client_id\":\"tv\",\"scope\":\"a b\"}";
  const uint8_t *bytes = (const uint8_t *)form;
  struct pg_json_body body;
  uint8_t piece[8];
  char text[64];
  size_t size = 0;
  size_t more;
  pg_json_body_start(&body, bytes, strlen(form));
  while ((more = pg_json_body_next(&body, piece, sizeof piece)) > 0) {
    memcpy(text + size, piece, more);
    size += more;
  }
  if (size != pg_json_body_size(bytes, strlen(form))) return 1;
  return size == strlen(expected) && memcmp(text, expected, size) == 0 ? 0 : 2;
}
