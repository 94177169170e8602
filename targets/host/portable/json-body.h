/*
 * Parameters of the grant as JSON, for servers that take no forms: what the core has written as a form (RFC 6749
 * appendix B) is read again and given out as one object of texts, piece by piece, so that no second body needs room.
 */
#ifndef PICOGRANT_JSON_BODY_H
#define PICOGRANT_JSON_BODY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most that one character of a form becomes: \u0000. */
enum { PG_JSON_BODY_STEP = 6 };

/* How far a form has been read. */
struct pg_json_body {
  const uint8_t *form; /* lent: `name=value` joined by '&', percent-encoded */
  size_t size;
  size_t at;
  int is_begun;
  int is_done;
};

/* Begins at the first parameter; a form has one at least. */
void pg_json_body_start(struct pg_json_body *body, const uint8_t *form, size_t size);

/*
 * Writes as much of the object to `piece` as fits; `size` is PG_JSON_BODY_STEP or more.
 * @return how many bytes; 0 once all of it has been given out
 */
size_t pg_json_body_next(struct pg_json_body *body, uint8_t *piece, size_t size);

/* Bytes of the whole object. */
size_t pg_json_body_size(const uint8_t *form, size_t size);

#ifdef __cplusplus
}
#endif

#endif
