/*
 * JSON (RFC 8259) out of a buffer, value by value, strict. Texts are decoded where they lie and end with 0,
 * so the buffer must be writable, and nothing is allocated.
 */
#ifndef PICOGRANT_JSON_H
#define PICOGRANT_JSON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PG_JSON_DEPTH = 8 };

enum pg_json_kind {
  PG_JSON_INVALID = 0, /* no JSON, or nested deeper than PG_JSON_DEPTH; nothing can be read any more */
  PG_JSON_OBJECT,
  PG_JSON_ARRAY,
  PG_JSON_TEXT,
  PG_JSON_INTEGER, /* without fraction and exponent, -134217728..134217727 */
  PG_JSON_NUMBER,  /* any other; its value is not kept */
  PG_JSON_TRUE,
  PG_JSON_FALSE,
  PG_JSON_NULL
};

struct pg_json {
  char *text; /* `size` bytes */
  size_t size;
  size_t at;
  int depth;
  int is_first; /* the next member or element is its container's first */
  /* The value or name read last. */
  char *string; /* UTF-8, ended by 0; an escaped NUL may be inside: compare `string_size` */
  size_t string_size;
  int integer;
};

void pg_json_start(struct pg_json *json, char *text, size_t size);

/*
 * Reads the next value. Of an object the members follow (pg_json_member), of an array the elements
 * (pg_json_element).
 */
enum pg_json_kind pg_json_value(struct pg_json *json);

/* Reads the name of the object's next member; its value is to be read next. 1; 0: the object ends; -1: bad. */
int pg_json_member(struct pg_json *json);

/* Whether the array has a further element, to be read next. 1; 0: the array ends; -1: bad. */
int pg_json_element(struct pg_json *json);

/* Reads a value and all that is in it. 1, or 0 where it is bad. */
int pg_json_skip(struct pg_json *json);

/* Whether nothing but blanks is left. */
int pg_json_at_end(struct pg_json *json);

#ifdef __cplusplus
}
#endif

#endif
