/* A form as JSON. Contract in json-body.h. */
#include "json-body.h"

#include <string.h>

void pg_json_body_start(struct pg_json_body *body, const uint8_t *form, size_t size) {
  *body = (struct pg_json_body){.form = form, .size = size};
}

static size_t put(uint8_t *piece, const char *text) {
  size_t size = strlen(text);
  memcpy(piece, text, size);
  return size;
}

static uint8_t digit_of(uint8_t c) { return (uint8_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10); }

/* A character of a name or value: RFC 8259 section 7 says which have to be escaped. */
static size_t put_character(uint8_t *piece, uint8_t c) {
  static const char hex[] = "0123456789abcdef";
  size_t size = 0;
  if (c < 32) {
    size = put(piece, "\\u00");
    piece[size++] = (uint8_t)hex[c >> 4];
    piece[size++] = (uint8_t)hex[c & 15];
    return size;
  }
  if (c == '"' || c == '\\') piece[size++] = '\\';
  piece[size++] = c;
  return size;
}

/* What comes next of the object: PG_JSON_BODY_STEP bytes at the most; 0 behind its end. */
static size_t step(struct pg_json_body *body, uint8_t *piece) {
  if (!body->is_begun) {
    body->is_begun = 1;
    return put(piece, "{\"");
  }
  if (body->at >= body->size) {
    int was_done = body->is_done;
    body->is_done = 1;
    return was_done ? 0 : put(piece, "\"}");
  }
  uint8_t c = body->form[body->at++];
  if (c == '=') return put(piece, "\":\"");
  if (c == '&') return put(piece, "\",\"");
  if (c == '+') return put_character(piece, ' ');
  if (c != '%' || body->size - body->at < 2) return put_character(piece, c);
  const uint8_t *digits = body->form + body->at;
  body->at += 2;
  return put_character(piece, (uint8_t)(digit_of(digits[0]) << 4 | digit_of(digits[1])));
}

size_t pg_json_body_next(struct pg_json_body *body, uint8_t *piece, size_t size) {
  size_t written = 0;
  while (size - written >= PG_JSON_BODY_STEP) {
    size_t count = step(body, piece + written);
    if (count == 0) break;
    written += count;
  }
  return written;
}

size_t pg_json_body_size(const uint8_t *form, size_t size) {
  struct pg_json_body body;
  uint8_t piece[PG_JSON_BODY_STEP];
  size_t whole = 0;
  size_t count;
  pg_json_body_start(&body, form, size);
  while ((count = pg_json_body_next(&body, piece, sizeof piece)) > 0) whole += count;
  return whole;
}
