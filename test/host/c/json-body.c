/*
 * Writes each line of standard input, a form, as JSON (json-body.h), in pieces of random sizes.
 *
 * Usage: json-body SEED. Output: a line of JSON for each line; exit code 1 where its size was said wrongly.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json-body.h"

enum { LINE_MAX_SIZE = 65536, PIECE_MAX = 70 };

int main(int count, char **words) {
  static char line[LINE_MAX_SIZE];
  uint8_t piece[PIECE_MAX];
  if (count != 2) return 2;
  srand((unsigned)strtoul(words[1], NULL, 10));
  while (fgets(line, sizeof line, stdin)) {
    size_t size = strcspn(line, "\n");
    /* Of exactly its size, so that the sanitizer sees what is read behind it. */
    uint8_t *form = malloc(size ? size : 1);
    if (!form) return 2;
    memcpy(form, line, size);
    size_t whole = pg_json_body_size(form, size);
    struct pg_json_body body;
    pg_json_body_start(&body, form, size);
    size_t written;
    size_t sum = 0;
    do {
      size_t room = PG_JSON_BODY_STEP + (size_t)rand() % (sizeof piece - PG_JSON_BODY_STEP + 1);
      written = pg_json_body_next(&body, piece, room);
      sum += written;
      fwrite(piece, 1, written, stdout);
    } while (written > 0);
    putchar('\n');
    free(form);
    if (sum != whole) return 1;
  }
  return 0;
}
