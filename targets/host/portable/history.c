/* What happened last. Contract in history.h. */
#include "history.h"

#include <stdint.h>

#include "assertion.h"
#include "clock.h"
#include "picogrant.h"

enum { TIMES_MAX = 65535 };

struct entry {
  uint32_t ms;
  uint16_t number;
  uint16_t times;
  uint8_t what;
  uint8_t who;
  uint8_t error;
};

static struct {
  struct entry entries[PG_HISTORY_ENTRIES];
  int oldest;
  int count;
} history;

static const char *const states[] = PG_STATE_NAMES;
static const char *const errors[] = PG_ERROR_CODE_NAMES;
static const char *const endpoints[] = PG_ENDPOINT_NAMES;
static const char *const reasons[] = PG_REASON_NAMES;

#define NAME(names, at) ((at) >= 0 && (size_t)(at) < sizeof(names) / sizeof *(names) ? (names)[at] : "?")

static struct entry *entry_at(int index) {
  return &history.entries[(history.oldest + index) % PG_HISTORY_ENTRIES];
}

void pg_history_open(void) { history.oldest = history.count = 0; }

void pg_history_note(enum pg_happened what, int who, int number, int error) {
  PG_MUST(who >= 0 && who < 256 && number >= 0 && number < 65536 && error >= 0 && error < 256,
          "what is remembered has room");
  struct entry *last = history.count ? entry_at(history.count - 1) : NULL;
  int is_same = last && last->what == what && last->who == who && last->number == number && last->error == error;
  if (!is_same) {
    if (history.count < PG_HISTORY_ENTRIES) history.count++;
    else history.oldest = (history.oldest + 1) % PG_HISTORY_ENTRIES;
    last = entry_at(history.count - 1);
    *last = (struct entry){0, (uint16_t)number, 0, (uint8_t)what, (uint8_t)who, (uint8_t)error};
  }
  last->ms = pg_clock_ms();
  if (last->times < TIMES_MAX) last->times++;
}

/* A line that is being written: what does not fit is left out. */
struct line {
  char *text;
  int size;
};

static void add(struct line *line, const char *text) {
  while (*text && line->size < PG_HISTORY_LINE - 1) line->text[line->size++] = *text++;
  line->text[line->size] = 0;
}

static void add_number(struct line *line, uint32_t number, int digits) {
  char text[11];
  int at = sizeof text - 1;
  text[at] = 0;
  for (; number || digits > 0; number /= 10, digits--) text[--at] = (char)('0' + number % 10);
  add(line, text + at);
}

static void add_what(struct line *line, const struct entry *entry) {
  switch (entry->what) {
    case PG_HAPPENED_STATE:
      add(line, "state ");
      add(line, NAME(states, entry->who));
      break;
    case PG_HAPPENED_ANSWERED:
      add(line, NAME(endpoints, entry->who));
      add(line, " answered ");
      add_number(line, entry->number, 1);
      break;
    case PG_HAPPENED_NO_ANSWER:
      add(line, NAME(endpoints, entry->who));
      add(line, entry->number ? " not reached: " : " not reached");
      add(line, NAME(reasons, entry->number));
      break;
    default:
      add(line, "slot ");
      add_number(line, entry->who, 1);
      add(line, entry->what == PG_HAPPENED_NOT_READ      ? " not read"
                : entry->what == PG_HAPPENED_NOT_WRITTEN ? " not written"
                                                         : " not erased");
      break;
  }
}

int pg_history_line(int index, char text[PG_HISTORY_LINE]) {
  struct line line = {text, 0};
  text[0] = 0;
  if (index < 0 || index >= history.count) return 0;
  const struct entry *entry = entry_at(index);
  add_number(&line, entry->ms / 1000, 1);
  add(&line, ".");
  add_number(&line, entry->ms % 1000, 3);
  add(&line, " s  ");
  add_what(&line, entry);
  if (entry->error) {
    add(&line, ", ");
    add(&line, NAME(errors, entry->error));
  }
  if (entry->times > 1) {
    add(&line, ", ");
    add_number(&line, entry->times, 1);
    add(&line, " times");
  }
  return 1;
}
