#include "history.h"

#include "assertion.h"
#include "picogrant-port.h"
#include "picogrant.h"

enum { TIMES_MAX = 65535 };

static const char *const state_names[] = PG_STATE_NAMES;
static const char *const error_names[] = PG_ERROR_CODE_NAMES;
static const char *const endpoint_names[] = PG_ENDPOINT_NAMES;
static const char *const reason_names[] = PG_REASON_NAMES;

#define NAME(names, at) ((at) >= 0 && (size_t)(at) < sizeof(names) / sizeof *(names) ? (names)[at] : "?")

/* Returns the position of an entry in the array. The oldest entry has index 0. */
static int entry_place(const struct pg_history *history, int index) {
  return (history->oldest + index) % PG_HISTORY_ENTRIES;
}

void pg_history_note(struct pg_history *history, enum pg_happened what, int who, int number,
                     int error) {
  PG_MUST(who >= 0 && who < 256 && number >= 0 && number < 65536 && error >= 0 && error < 256,
          "the value fits into the buffer");
  struct pg_history_entry *last =
      history->count ? &history->entries[entry_place(history, history->count - 1)] : NULL;
  int is_same = last && last->what == what && last->who == who && last->number == number && last->error == error;
  if (!is_same) {
    if (history->count < PG_HISTORY_ENTRIES) history->count++;
    else history->oldest = (history->oldest + 1) % PG_HISTORY_ENTRIES;
    last = &history->entries[entry_place(history, history->count - 1)];
    *last = (struct pg_history_entry){0, (uint16_t)number, 0, (uint8_t)what, (uint8_t)who, (uint8_t)error};
  }
  last->ms = pg_clock_ms();
  if (last->times < TIMES_MAX) last->times++;
}

/* A line that is being written. Text that does not fit is dropped. */
struct line {
  char *text;
  int size;
};

static void append(struct line *line, const char *text) {
  while (*text && line->size < PG_HISTORY_LINE - 1) line->text[line->size++] = *text++;
  line->text[line->size] = 0;
}

static void add_number(struct line *line, uint32_t number, int digits) {
  char text[11];
  int at = sizeof text - 1;
  text[at] = 0;
  for (; number || digits > 0; number /= 10, digits--) text[--at] = (char)('0' + number % 10);
  append(line, text + at);
}

static void add_what(struct line *line, const struct pg_history_entry *entry) {
  switch (entry->what) {
    case PG_HAPPENED_STATE:
      append(line, "state ");
      append(line, NAME(state_names, entry->who));
      break;
    case PG_HAPPENED_RESPONSE:
      append(line, NAME(endpoint_names, entry->who));
      append(line, " responded ");
      add_number(line, entry->number, 1);
      break;
    case PG_HAPPENED_NO_RESPONSE:
      append(line, NAME(endpoint_names, entry->who));
      append(line, entry->number ? " not reached: " : " not reached");
      append(line, NAME(reason_names, entry->number));
      break;
    default:
      append(line, "slot ");
      add_number(line, entry->who, 1);
      append(line, entry->what == PG_HAPPENED_NOT_READ      ? " not read"
                : entry->what == PG_HAPPENED_NOT_WRITTEN ? " not written"
                                                         : " not erased");
      break;
  }
}

int pg_history_line(const struct pg_history *history, int index, char text[PG_HISTORY_LINE]) {
  struct line line = {text, 0};
  text[0] = 0;
  if (index < 0 || index >= history->count) return 0;
  const struct pg_history_entry *entry = &history->entries[entry_place(history, index)];
  add_number(&line, entry->ms / 1000, 1);
  append(&line, ".");
  add_number(&line, entry->ms % 1000, 3);
  append(&line, " s  ");
  add_what(&line, entry);
  if (entry->error) {
    append(&line, ", ");
    append(&line, NAME(error_names, entry->error));
  }
  if (entry->times > 1) {
    append(&line, ", ");
    add_number(&line, entry->times, 1);
    append(&line, " times");
  }
  return 1;
}
