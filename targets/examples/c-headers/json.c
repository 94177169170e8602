/* Reads JSON where it lies (json.h). */
#include "json.h"

#include <string.h>

int main(void) {
  char text[] = "{\"name\":\"Caf\\u00e9\",\"sizes\":[1,2,3]}";
  struct pg_json json;
  int sum = 0;
  pg_json_start(&json, text, sizeof text - 1);
  if (pg_json_value(&json) != PG_JSON_OBJECT || pg_json_member(&json) != 1) return 1;
  if (pg_json_value(&json) != PG_JSON_TEXT || strcmp(json.string, "Caf\xc3\xa9") != 0) return 2;
  if (pg_json_member(&json) != 1 || pg_json_value(&json) != PG_JSON_ARRAY) return 3;
  while (pg_json_element(&json) == 1) {
    if (pg_json_value(&json) != PG_JSON_INTEGER) return 4;
    sum += json.integer;
  }
  return sum == 6 && pg_json_member(&json) == 0 && pg_json_at_end(&json) ? 0 : 5;
}
