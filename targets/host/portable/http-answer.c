/* Reads HTTP answers. Contract in http-answer.h. Each step takes one byte, the steps of a body many. */
#include "http-answer.h"

#include <string.h>

#include "assertion.h"
#include "picogrant-numbers.h"

/* Dates and Retry-After. */

struct date {
  int year;
  int month; /* 1..12 */
  int day;
  int hour;
  int minute;
  int second;
};

static int is_digit(int c) { return c >= '0' && c <= '9'; }

/* The number at text[0..count), all digits; -1 otherwise. */
static int number_at(const char *text, int count) {
  int value = 0;
  for (int i = 0; i < count; i++) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/* 1..12, or -1. */
static int month_at(const char *text) {
  static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (int month = 0; month < 12; month++) {
    if (memcmp(names + 3 * month, text, 3) == 0) return month + 1;
  }
  return -1;
}

/* hh:mm:ss */
static int take_time(const char *text, struct date *date) {
  if (text[2] != ':' || text[5] != ':') return 0;
  date->hour = number_at(text, 2);
  date->minute = number_at(text + 3, 2);
  date->second = number_at(text + 6, 2);
  return 1;
}

/* Sun, 06 Nov 1994 08:49:37 GMT */
static int take_imf_fixdate(const char *text, size_t size, struct date *date) {
  if (size != 29 || memcmp(text + 3, ", ", 2) != 0 || memcmp(text + 25, " GMT", 4) != 0) return 0;
  if (text[7] != ' ' || text[11] != ' ' || text[16] != ' ') return 0;
  date->day = number_at(text + 5, 2);
  date->month = month_at(text + 8);
  date->year = number_at(text + 12, 4);
  return take_time(text + 17, date);
}

/*
 * Sunday, 06-Nov-94 08:49:37 GMT. Two digits of a year: without a clock the window 1970..2069 is the
 * nearest to what RFC 9110 asks.
 */
static int take_rfc_850(const char *text, size_t size, struct date *date) {
  size_t comma = 0;
  while (comma < size && text[comma] != ',') comma++;
  if (comma < 6 || comma > 9 || size != comma + 24) return 0;
  const char *rest = text + comma;
  if (rest[1] != ' ' || rest[4] != '-' || rest[8] != '-' || rest[11] != ' ') return 0;
  if (memcmp(rest + 20, " GMT", 4) != 0) return 0;
  date->day = number_at(rest + 2, 2);
  date->month = month_at(rest + 5);
  date->year = number_at(rest + 9, 2);
  if (date->year < 0) return 0;
  date->year += date->year < 70 ? 2000 : 1900;
  return take_time(rest + 12, date);
}

/* Sun Nov  6 08:49:37 1994 */
static int take_asctime(const char *text, size_t size, struct date *date) {
  if (size != 24 || text[3] != ' ' || text[7] != ' ' || text[10] != ' ' || text[19] != ' ') return 0;
  date->month = month_at(text + 4);
  date->day = text[8] == ' ' ? number_at(text + 9, 1) : number_at(text + 8, 2);
  date->year = number_at(text + 20, 4);
  return take_time(text + 11, date);
}

int pg_days_of(int year, int month, int day) {
  static const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  int years = year - 1;
  int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) && month > 2;
  int days = years * 365 + years / 4 - years / 100 + years / 400;
  return days + before[month - 1] + is_leap + day - 1 - 719162;
}

int pg_http_date(const char *text, size_t size, int64_t *seconds) {
  struct date date = {0};
  if (!take_imf_fixdate(text, size, &date) && !take_rfc_850(text, size, &date) &&
      !take_asctime(text, size, &date)) {
    return 0;
  }
  if (date.year < 1970 || date.month < 1 || date.day < 1 || date.day > 31 || date.hour < 0 ||
      date.hour > 23 || date.minute < 0 || date.minute > 59 || date.second < 0 || date.second > 60) {
    return 0;
  }
  *seconds = (int64_t)pg_days_of(date.year, date.month, date.day) * 86400 + date.hour * 3600 + date.minute * 60 + date.second;
  return 1;
}

static int seconds_of(const char *text, size_t size) {
  int value = 0;
  for (size_t i = 0; i < size; i++) {
    if (!is_digit(text[i])) return -1;
    value = value > PG_RETRY_LONGEST_S / 10 ? PG_RETRY_LONGEST_S : value * 10 + (text[i] - '0');
  }
  return value > PG_RETRY_LONGEST_S ? PG_RETRY_LONGEST_S : value;
}

int pg_retry_after(const char *text, size_t size, int64_t from_s) {
  int64_t until = 0;
  if (size == 0) return -1;
  if (is_digit(text[0])) return seconds_of(text, size);
  if (!pg_http_date(text, size, &until) || from_s < 0) return -1;
  if (until <= from_s) return 0;
  return until - from_s > PG_RETRY_LONGEST_S ? PG_RETRY_LONGEST_S : (int)(until - from_s);
}

/* The reader. */

enum step {
  STATUS_LINE,
  LINE_BEGIN, /* a header, the next line of a folded one, or the empty line */
  HEADER,
  BODY_BY_LENGTH,
  BODY_UNTIL_CLOSED,
  CHUNK_SIZE,
  CHUNK_EXTENSION,
  CHUNK_DATA,
  CHUNK_END, /* the end of the line behind a chunk */
  TRAILER_BEGIN,
  TRAILER,
  COMPLETE,
  REFUSED
};

enum part { NAME, BLANK, VALUE };

enum { UNAUTHORIZED = 401 };

enum header {
  NO_HEADER,
  OTHER_HEADER,
  CONTENT_LENGTH,
  TRANSFER_ENCODING,
  RETRY_AFTER,
  DATE,
  AUTHENTICATE,
  CONNECTION,
  KEEP_ALIVE,
  CONTENT_ENCODING,
  HEADERS_END
};

/* Where the server does not say how long it keeps a connection, and the longest that one is kept. */
enum { KEEP_UNSAID_S = 4, KEEP_LONGEST_S = 600 };

/* In the order of enum header. */
static const char *const known_names[] = {"content-length", "transfer-encoding", "retry-after", "date",
                                          "www-authenticate", "connection", "keep-alive", "content-encoding"};

static int is_blank(uint8_t c) { return c == ' ' || c == '\t'; }

static char lower(uint8_t c) { return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }

static void clear_text(struct pg_answer *answer) {
  answer->text_size = 0;
  answer->is_cut = 0;
}

static void add(struct pg_answer *answer, char c) {
  if (answer->text_size < PG_ANSWER_LINE) answer->text[answer->text_size++] = c;
  else answer->is_cut = 1;
  PG_MUST(answer->text_size <= PG_ANSWER_LINE, "a line's text fits its room");
}

static int text_is(const struct pg_answer *answer, const char *expected) {
  size_t size = strlen(expected);
  if (answer->text_size != size || answer->is_cut) return 0;
  for (size_t i = 0; i < size; i++) {
    if (lower((uint8_t)answer->text[i]) != expected[i]) return 0;
  }
  return 1;
}

static void refuse_for(struct pg_answer *answer, enum pg_reason reason) {
  answer->step = REFUSED;
  answer->reason = (uint8_t)reason;
}

/* For what HTTP does not say. */
static void refuse(struct pg_answer *answer) { refuse_for(answer, PG_REASON_NOT_HTTP); }

/* What one head says; an interim answer's head is forgotten. */
static void begin_head(struct pg_answer *answer) {
  answer->step = STATUS_LINE;
  answer->status = 0;
  answer->length = -1;
  answer->is_chunked = 0;
  answer->is_coded = 0;
  answer->is_last = 0;
  answer->keep_s = KEEP_UNSAID_S;
  answer->date_s = -1;
  answer->retry_size = 0;
  answer->name = NO_HEADER;
  answer->part = NAME;
  clear_text(answer);
}

void pg_answer_start(struct pg_answer *answer, const struct pg_answer_sink *sink, void *context,
                     uint32_t body_max, uint32_t clock_s) {
  memset(answer, 0, sizeof *answer);
  answer->sink = sink;
  answer->context = context;
  answer->body_max = body_max;
  answer->clock_s = clock_s;
  begin_head(answer);
}

/* `HTTP/1.1 200`, and a blank or nothing behind it (RFC 9112 §4; many servers leave the blank out). */
static void take_status_line(struct pg_answer *answer) {
  const char *text = answer->text;
  int size = answer->text_size;
  if (size < 12 || memcmp(text, "HTTP/1.", 7) != 0 || !is_digit(text[7]) || text[8] != ' ' ||
      !is_digit(text[9]) || !is_digit(text[10]) || !is_digit(text[11]) ||
      (size > 12 && text[12] != ' ')) {
    refuse(answer);
    return;
  }
  int status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
  /* Nobody asked to switch protocols. A class that RFC 9110 §15 does not know is one of the server's errors. */
  if (status < 100 || status == 101) refuse(answer);
  else answer->step = LINE_BEGIN;
  answer->status = (uint16_t)(status > 599 ? 500 : status);
  answer->is_last = text[7] == '0';
  clear_text(answer);
}

static void name_is_complete(struct pg_answer *answer) {
  answer->name = OTHER_HEADER;
  for (int i = CONTENT_LENGTH; i < HEADERS_END; i++) {
    if (text_is(answer, known_names[i - CONTENT_LENGTH])) answer->name = (uint8_t)i;
  }
  if (answer->text_size == 0) refuse(answer);
  answer->part = BLANK;
  clear_text(answer);
}

static void take_length(struct pg_answer *answer) {
  enum { LONGEST = 100000000 };
  int32_t length = 0;
  int ok = answer->text_size > 0 && !answer->is_cut;
  for (int i = 0; i < answer->text_size && ok; i++) {
    ok = is_digit(answer->text[i]);
    /* Beyond that all are the same: too long. */
    if (ok && length < LONGEST) length = length * 10 + (answer->text[i] - '0');
  }
  if (!ok || (answer->length >= 0 && answer->length != length)) refuse(answer);
  else answer->length = length;
}

/* A byte of the header's value, for whoever asks what an API wants (RFC 9470). */
static void report_challenge(const struct pg_answer *answer, uint8_t c) {
  int is_asked = answer->name == AUTHENTICATE && answer->status == UNAUTHORIZED;
  if (is_asked && answer->sink->challenge) answer->sink->challenge(answer->context, c);
}

/* `timeout=75`, and perhaps more behind it. */
static void take_keep_alive(struct pg_answer *answer) {
  enum { BEFORE = 8 };
  size_t end = BEFORE;
  if (answer->text_size <= BEFORE || memcmp(answer->text, "timeout=", BEFORE) != 0) return;
  while (end < answer->text_size && is_digit(answer->text[end])) end++;
  if (end > BEFORE) answer->keep_s = seconds_of(answer->text + BEFORE, end - BEFORE) - 1;
}

/* The header of which the last line has come. */
static void header_is_complete(struct pg_answer *answer) {
  while (answer->text_size > 0 && is_blank((uint8_t)answer->text[answer->text_size - 1])) {
    answer->text_size--;
  }
  switch (answer->name) {
    case CONTENT_LENGTH:
      take_length(answer);
      break;
    case TRANSFER_ENCODING:
      if (!text_is(answer, "chunked") || answer->is_chunked) refuse_for(answer, PG_REASON_UNKNOWN_CODING);
      answer->is_chunked = 1;
      break;
    case RETRY_AFTER:
      if (answer->is_cut || answer->retry_size) break;
      memcpy(answer->retry, answer->text, answer->text_size);
      answer->retry_size = answer->text_size;
      break;
    case DATE:
      if (!answer->is_cut) (void)pg_http_date(answer->text, answer->text_size, &answer->date_s);
      break;
    case AUTHENTICATE:
      report_challenge(answer, '\n');
      break;
    case CONNECTION:
      if (!text_is(answer, "keep-alive")) answer->is_last = 1;
      break;
    case KEEP_ALIVE:
      take_keep_alive(answer);
      break;
    case CONTENT_ENCODING:
      if (answer->text_size > 0 && !text_is(answer, "identity")) answer->is_coded = 1;
      break;
    default:
      break;
  }
  answer->name = NO_HEADER;
  answer->part = NAME;
  clear_text(answer);
}

/* The empty line has come: how the body goes. */
static void head_is_complete(struct pg_answer *answer) {
  int status = answer->status;
  if (status < 200) {
    begin_head(answer);
    return;
  }
  if (answer->is_chunked && answer->length >= 0) {
    refuse(answer);
    return;
  }
  if (answer->length >= 0 && (uint32_t)answer->length > answer->body_max) {
    refuse_for(answer, PG_REASON_TOO_LONG);
    return;
  }
  int64_t clock_s = answer->clock_s ? (int64_t)answer->clock_s : -1;
  int64_t from_s = answer->date_s >= 0 ? answer->date_s : clock_s;
  answer->left = answer->length > 0 ? (uint32_t)answer->length : 0;
  if (status == 204 || status == 304 || answer->length == 0) answer->step = COMPLETE;
  else if (answer->is_chunked) answer->step = CHUNK_SIZE;
  else answer->step = answer->length > 0 ? BODY_BY_LENGTH : BODY_UNTIL_CLOSED;
  if (answer->step == BODY_UNTIL_CLOSED) answer->is_last = 1;
  PG_MUST(status >= 200 && status <= 599, "a status is one of HTTP's");
  answer->sink->status(answer->context, status, pg_retry_after(answer->retry, answer->retry_size, from_s));
}

/* The first byte of a line shows whether the header before it goes on (RFC 9112 §5.2). */
static void begin_line(struct pg_answer *answer, uint8_t c) {
  if (is_blank(c)) {
    /* Behind the status line there is nothing that could go on: such a line is passed over. */
    answer->part = BLANK;
    if (answer->text_size > 0) {
      add(answer, ' ');
      report_challenge(answer, ' ');
    }
    answer->step = HEADER;
    return;
  }
  if (answer->name != NO_HEADER) header_is_complete(answer);
  if (answer->step == REFUSED) return;
  if (c == '\n') {
    head_is_complete(answer);
    return;
  }
  answer->step = HEADER;
  answer->part = NAME;
  clear_text(answer);
  if (c == ':') refuse(answer);
  else add(answer, (char)c);
}

static void take_header_byte(struct pg_answer *answer, uint8_t c) {
  if (c == '\n') {
    if (answer->part == NAME) refuse(answer);
    else answer->step = LINE_BEGIN;
  } else if (answer->part == NAME) {
    if (c == ':') name_is_complete(answer);
    else if (is_blank(c)) refuse(answer);
    else add(answer, (char)c);
  } else if (answer->part == VALUE || !is_blank(c)) {
    answer->part = VALUE;
    add(answer, (char)c);
    report_challenge(answer, c);
  }
}

static int hexadecimal(uint8_t c) {
  if (is_digit(c)) return c - '0';
  char letter = lower(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static void chunk_size_is_complete(struct pg_answer *answer) {
  if (answer->text_size == 0) refuse(answer);
  else if (answer->left > answer->body_max) refuse_for(answer, PG_REASON_TOO_LONG);
  else answer->step = answer->left > 0 ? CHUNK_DATA : TRAILER_BEGIN;
  clear_text(answer);
}

/* Digits are counted in `text_size`, so that a line without any is seen. */
static void take_chunk_size_byte(struct pg_answer *answer, uint8_t c) {
  int digit = hexadecimal(c);
  if (digit >= 0 && answer->left < 0x1000000) {
    answer->left = answer->left * 16 + (uint32_t)digit;
    answer->text_size = 1;
  } else if (c == '\n') {
    chunk_size_is_complete(answer);
  } else if ((c == ';' || is_blank(c)) && answer->text_size > 0) {
    answer->step = CHUNK_EXTENSION;
  } else {
    refuse_for(answer, digit >= 0 ? PG_REASON_TOO_LONG : PG_REASON_NOT_HTTP);
  }
}

static void take_head_byte(struct pg_answer *answer, uint8_t c) {
  switch (answer->step) {
    case STATUS_LINE:
      if (c == '\n') take_status_line(answer);
      else add(answer, (char)c);
      break;
    case LINE_BEGIN:
      begin_line(answer, c);
      break;
    case HEADER:
      take_header_byte(answer, c);
      break;
    case CHUNK_SIZE:
      take_chunk_size_byte(answer, c);
      break;
    case CHUNK_EXTENSION:
      if (c == '\n') chunk_size_is_complete(answer);
      break;
    case CHUNK_END:
      if (c == '\n') answer->step = CHUNK_SIZE;
      else refuse(answer);
      break;
    case TRAILER_BEGIN:
      answer->step = c == '\n' ? COMPLETE : TRAILER;
      break;
    case TRAILER:
      if (c == '\n') answer->step = TRAILER_BEGIN;
      break;
    default:
      break;
  }
}

static int is_in_body(const struct pg_answer *answer) {
  return answer->step == BODY_BY_LENGTH || answer->step == BODY_UNTIL_CLOSED ||
         answer->step == CHUNK_DATA;
}

/* Takes as much of `size` bytes as belongs to the body or the chunk; returns how many. */
static size_t take_body(struct pg_answer *answer, const uint8_t *bytes, size_t size) {
  size_t taken = size;
  if (answer->is_coded) {
    refuse_for(answer, PG_REASON_UNKNOWN_CODING);
    return 0;
  }
  if (answer->step != BODY_UNTIL_CLOSED && taken > answer->left) taken = answer->left;
  if (taken > answer->body_max - answer->body_bytes) {
    refuse_for(answer, PG_REASON_TOO_LONG);
    return 0;
  }
  PG_MUST(taken > 0, "a piece of a body has bytes");
  answer->body_bytes += (uint32_t)taken;
  PG_MUST(answer->body_bytes <= answer->body_max, "no body is longer than what is taken");
  if (answer->step != BODY_UNTIL_CLOSED) {
    answer->left -= (uint32_t)taken;
    if (answer->left == 0) answer->step = answer->step == CHUNK_DATA ? CHUNK_END : COMPLETE;
  }
  answer->sink->body(answer->context, bytes, taken);
  return taken;
}

/* A CR belongs to the LF behind it (RFC 9112 §2.2); anywhere else it is refused, and so is NUL. */
static void take_byte(struct pg_answer *answer, uint8_t c) {
  if (++answer->head_bytes > PG_ANSWER_HEAD_MAX) {
    refuse_for(answer, PG_REASON_HEAD_TOO_LONG);
    return;
  }
  if (c == 0 || (answer->is_cr && c != '\n')) {
    refuse(answer);
    return;
  }
  answer->is_cr = c == '\r';
  if (!answer->is_cr) take_head_byte(answer, c);
}

static enum pg_answer_result result_of(const struct pg_answer *answer) {
  if (answer->step == COMPLETE) return PG_ANSWER_END;
  return answer->step == REFUSED ? PG_ANSWER_BAD : PG_ANSWER_MORE;
}

enum pg_answer_result pg_answer_read(struct pg_answer *answer, const uint8_t *bytes, size_t size) {
  size_t at = 0;
  while (at < size && answer->step != COMPLETE && answer->step != REFUSED) {
    /* For `npm run tool -- prove-c`: what happens at one byte is told from what happens at another. */
    //@ split at;
    if (is_in_body(answer)) at += take_body(answer, bytes + at, size - at);
    else take_byte(answer, bytes[at++]);
  }
  /* Nobody has asked for more. */
  if (at < size) answer->is_last = 1;
  return result_of(answer);
}

enum pg_answer_result pg_answer_closed(struct pg_answer *answer) {
  if (answer->step == BODY_UNTIL_CLOSED) answer->step = COMPLETE;
  else if (answer->step != COMPLETE && answer->step != REFUSED) refuse_for(answer, PG_REASON_CUT_OFF);
  return result_of(answer);
}

int pg_answer_keep_s(const struct pg_answer *answer) {
  if (answer->step != COMPLETE || answer->is_last || answer->keep_s < 0) return 0;
  return answer->keep_s < KEEP_LONGEST_S ? answer->keep_s : KEEP_LONGEST_S;
}
