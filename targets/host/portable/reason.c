#include "reason.h"

#include <string.h>

static const char *const texts_of_table[] = PG_REASON_TEXTS;
static const char *const sentences[] = PG_REASON_SENTENCES;

static int is_reason(int reason) { return reason > PG_REASON_NONE && reason < PG_REASON_COUNT; }

const char *pg_reason_sentence(int reason) { return is_reason(reason) ? sentences[reason] : ""; }

/* Returns the line with this number, starting at 0; "" if there are fewer lines. */
static const char *line_of(const char *lines, int number) {
  for (; number > 0 && *lines; number--) {
    lines += strcspn(lines, "\n");
    if (*lines) lines++;
  }
  return lines;
}

/* Returns the next character of a UTF-8 text, and advances past it. Characters from U+0080 to U+00FF become one byte. Any
 * other byte that is not printable ASCII becomes a question mark. */
static uint8_t character(const char **text) {
  const uint8_t *bytes = (const uint8_t *)*text;
  if ((bytes[0] == 0xc2 || bytes[0] == 0xc3) && bytes[1] >= 0x80 && bytes[1] < 0xc0) {
    *text += 2;
    return (uint8_t)((bytes[0] & 3) << 6 | (bytes[1] & 0x3f));
  }
  ++*text;
  return bytes[0] >= 32 && bytes[0] < 127 ? bytes[0] : '?';
}

static int is_end(char c) { return c == 0 || c == '\n' || c == '|'; }

/* Returns the number of characters, not bytes, up to the next space or the end. */
static int word_length(const char *text) {
  int length = 0;
  for (; !is_end(*text) && *text != ' '; length++) (void)character(&text);
  return length;
}

/* A frame, and the position at which the next character is drawn. */
struct place {
  uint8_t *frame;
  int columns;
  int rows;
  int row;
  int column;
};

static void put_byte(struct place *place, uint8_t cell) {
  if (place->column == place->columns) {
    place->row++;
    place->column = 0;
  }
  if (place->row < place->rows) place->frame[place->row * place->columns + place->column] = cell;
  place->column++;
}

/* Draws a text up to its "|" or end, word by word. A word that does not fit starts a row. Returns the remaining
 * text. */
static const char *put_half(struct place *place, const char *text) {
  while (!is_end(*text)) {
    if (*text == ' ') {
      text++;
      continue;
    }
    int blank = place->column > 0;
    int left = place->columns - place->column - blank;
    if (blank && word_length(text) > left) {
      place->row++;
      place->column = blank = 0;
    }
    if (blank) put_byte(place, ' ');
    while (!is_end(*text) && *text != ' ') put_byte(place, character(&text));
  }
  return text;
}

int pg_reason_frame(const char *texts, int reason, uint8_t *frame, int columns, int rows) {
  struct place place = {frame, columns, rows, 0, 0};
  if (!is_reason(reason) || columns * rows > PG_REASON_CELLS) return 0;
  const char *text = line_of(texts ? texts : "", reason - 1);
  /* Texts for an older version lack the latest reasons. */
  if (is_end(*text)) text = texts_of_table[reason];
  memset(frame, ' ', (size_t)(columns * rows));
  while (*text && *text != '\n') {
    text = put_half(&place, text);
    if (*text != '|') break;
    text++;
    place.row++;
    place.column = 0;
  }
  return 1;
}
