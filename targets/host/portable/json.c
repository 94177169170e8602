/* JSON, value by value. Contract in json.h. */
#include "json.h"

#include <string.h>

#include "assertion.h"

enum { LARGEST = 134217727 };

void pg_json_start(struct pg_json *json, char *text, size_t size) {
  memset(json, 0, sizeof *json);
  json->text = text;
  json->size = size;
}

/* The byte at the present place, or 0 behind the end. */
static char here(const struct pg_json *json) {
  return json->at < json->size ? json->text[json->at] : 0;
}

static void skip_blanks(struct pg_json *json) {
  while (json->at < json->size && json->text[json->at] && strchr(" \t\r\n", json->text[json->at])) {
    json->at++;
  }
}

/* From now on everything is bad. */
static enum pg_json_kind invalid(struct pg_json *json) {
  json->at = json->size;
  json->depth = PG_JSON_DEPTH;
  return PG_JSON_INVALID;
}

static int take(struct pg_json *json, char c) {
  if (here(json) != c) return 0;
  json->at++;
  return 1;
}

static int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four hexadecimal digits; -1 where they are not there. */
static int take_unit(struct pg_json *json) {
  int unit = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hexadecimal(here(json));
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
    json->at++;
  }
  return unit;
}

/* UTF-8 of a code point at `to`, never longer than its escape. Returns the place behind it. */
static size_t put_code(char *text, size_t to, int code) {
  if (code < 0x80) {
    text[to++] = (char)code;
    return to;
  }
  if (code < 0x800) {
    text[to++] = (char)(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      text[to++] = (char)(0xe0 | code >> 12);
    } else {
      text[to++] = (char)(0xf0 | code >> 18);
      text[to++] = (char)(0x80 | (code >> 12 & 63));
    }
    text[to++] = (char)(0x80 | (code >> 6 & 63));
  }
  text[to++] = (char)(0x80 | (code & 63));
  return to;
}

/* Behind `\u`. A half of a pair on its own is refused. */
static int take_code(struct pg_json *json) {
  int code = take_unit(json);
  if (code < 0xd800 || code > 0xdfff) return code;
  if (code > 0xdbff || !take(json, '\\') || !take(json, 'u')) return -1;
  int low = take_unit(json);
  if (low < 0xdc00 || low > 0xdfff) return -1;
  return 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
}

/* Behind a backslash. Returns the place behind what it means, or 0 where it means nothing. */
static size_t take_escape(struct pg_json *json, size_t to) {
  static const char letters[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  char c = here(json);
  json->at++;
  if (c == 'u') {
    int code = take_code(json);
    return code < 0 ? 0 : put_code(json->text, to, code);
  }
  const char *letter = c ? strchr(letters, c) : NULL;
  if (!letter) return 0;
  json->text[to] = meanings[letter - letters];
  return to + 1;
}

/* A text, its first quote ahead. */
static int take_string(struct pg_json *json) {
  if (!take(json, '"')) return 0;
  size_t from = json->at;
  size_t to = from;
  while (json->at < json->size) {
    char c = json->text[json->at++];
    if (c == '"') {
      PG_MUST(to < json->at, "a text is no longer than it was written");
      json->text[to] = 0;
      json->string = json->text + from;
      json->string_size = to - from;
      return 1;
    }
    if ((unsigned char)c < 32) return 0;
    if (c == '\\') {
      to = take_escape(json, to);
      if (to == 0) return 0;
    } else {
      json->text[to++] = c;
    }
  }
  return 0;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* One digit or more. */
static int skip_digits(struct pg_json *json) {
  size_t from = json->at;
  while (is_digit(here(json))) json->at++;
  return json->at > from;
}

static enum pg_json_kind take_number(struct pg_json *json) {
  int is_negative = take(json, '-');
  int is_integer = 1;
  int value = 0;
  size_t from = json->at;
  if (!skip_digits(json) || (json->text[from] == '0' && json->at > from + 1)) return invalid(json);
  for (size_t i = from; i < json->at && is_integer; i++) {
    is_integer = value <= (LARGEST - 9) / 10;
    if (is_integer) value = value * 10 + (json->text[i] - '0');
  }
  if (take(json, '.')) {
    is_integer = 0;
    if (!skip_digits(json)) return invalid(json);
  }
  if (here(json) == 'e' || here(json) == 'E') {
    is_integer = 0;
    json->at++;
    if (!take(json, '-')) (void)take(json, '+');
    if (!skip_digits(json)) return invalid(json);
  }
  json->integer = is_negative ? -value : value;
  return is_integer ? PG_JSON_INTEGER : PG_JSON_NUMBER;
}

static enum pg_json_kind take_word(struct pg_json *json, const char *word, enum pg_json_kind kind) {
  for (; *word; word++) {
    if (!take(json, *word)) return invalid(json);
  }
  return kind;
}

static enum pg_json_kind enter(struct pg_json *json, enum pg_json_kind kind) {
  if (json->depth >= PG_JSON_DEPTH) return invalid(json);
  json->at++;
  json->depth++;
  PG_MUST(json->depth <= PG_JSON_DEPTH, "nothing lies deeper than what is read");
  json->is_first = 1;
  return kind;
}

enum pg_json_kind pg_json_value(struct pg_json *json) {
  skip_blanks(json);
  switch (here(json)) {
    case '{':
      return enter(json, PG_JSON_OBJECT);
    case '[':
      return enter(json, PG_JSON_ARRAY);
    case '"':
      return take_string(json) ? PG_JSON_TEXT : invalid(json);
    case 't':
      return take_word(json, "true", PG_JSON_TRUE);
    case 'f':
      return take_word(json, "false", PG_JSON_FALSE);
    case 'n':
      return take_word(json, "null", PG_JSON_NULL);
    default:
      return take_number(json);
  }
}

/* The comma or the end, where there is one of them. 1: another follows; 0: the container ends; -1: bad. */
static int go_on(struct pg_json *json, char end) {
  int is_first = json->is_first;
  json->is_first = 0;
  skip_blanks(json);
  if (take(json, end)) {
    json->depth--;
    return 0;
  }
  if (is_first || take(json, ',')) return 1;
  invalid(json);
  return -1;
}

int pg_json_member(struct pg_json *json) {
  int more = go_on(json, '}');
  if (more != 1) return more;
  skip_blanks(json);
  if (take_string(json)) {
    skip_blanks(json);
    if (take(json, ':')) return 1;
  }
  invalid(json);
  return -1;
}

int pg_json_element(struct pg_json *json) { return go_on(json, ']'); }

int pg_json_skip(struct pg_json *json) {
  enum pg_json_kind kinds[PG_JSON_DEPTH];
  int depth = 0;
  do {
    enum pg_json_kind kind = pg_json_value(json);
    if (kind == PG_JSON_INVALID) return 0;
    /* Never deeper than json->depth, which pg_json_value has bounded. */
    if (kind == PG_JSON_OBJECT || kind == PG_JSON_ARRAY) kinds[depth++] = kind;
    int more = 0;
    while (depth > 0 && more == 0) {
      more = kinds[depth - 1] == PG_JSON_OBJECT ? pg_json_member(json) : pg_json_element(json);
      if (more < 0) return 0;
      if (more == 0) depth--;
    }
  } while (depth > 0);
  return 1;
}

int pg_json_at_end(struct pg_json *json) {
  skip_blanks(json);
  return json->at == json->size && json->depth == 0;
}
