#include "http-response.h"

#include <string.h>

#include "assertion.h"
#include "picogrant-numbers.h"

struct date {
  int year;
  int month; /* 1..12 */
  int day;
  int hour;
  int minute;
  int second;
};

static int is_digit(int c) { return c >= '0' && c <= '9'; }

/* Returns the number in text[0..count), or -1 if there is a character other than a digit. */
static int number_at(const char *text, int count) {
  int value = 0;
  for (int i = 0; i < count; i++) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

static int month_at(const char *text) {
  static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (int month = 0; month < 12; month++) {
    if (memcmp(names + 3 * month, text, 3) == 0) return month + 1;
  }
  return -1;
}

/* Parses the form "08:49:37". */
static int take_time(const char *text, struct date *date) {
  if (text[2] != ':' || text[5] != ':') return 0;
  date->hour = number_at(text, 2);
  date->minute = number_at(text + 3, 2);
  date->second = number_at(text + 6, 2);
  return 1;
}

/* Parses the form "Sun, 06 Nov 1994 08:49:37 GMT". */
static int take_imf_fixdate(const char *text, size_t size, struct date *date) {
  if (size != 29 || memcmp(text + 3, ", ", 2) != 0 || memcmp(text + 25, " GMT", 4) != 0) return 0;
  if (text[7] != ' ' || text[11] != ' ' || text[16] != ' ') return 0;
  date->day = number_at(text + 5, 2);
  date->month = month_at(text + 8);
  date->year = number_at(text + 12, 4);
  return take_time(text + 17, date);
}

/* Parses the form "Sunday, 06-Nov-94 08:49:37 GMT". The two digits stand for a year in 1970..2069. By RFC 9110 section
 * 5.6.7, the current year would decide, but the device may not know it. */
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

/* Parses the form "Sun Nov  6 08:49:37 1994". */
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

enum step {
  STATUS_LINE,
  LINE_BEGIN, /* the next line is a header, a continuation line of a header, or empty */
  HEADER,
  BODY_BY_LENGTH,
  BODY_UNTIL_CLOSED,
  CHUNK_SIZE,
  CHUNK_EXTENSION,
  CHUNK_DATA,
  CHUNK_END, /* the line end after a chunk's bytes */
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
#ifdef PG_KEYS
  DPOP_NONCE,
#endif
  HEADERS_END
};

/* How long an idle connection stays open, in seconds: without the header Keep-Alive, and at most with it. */
enum { KEEP_UNSAID_S = 4, KEEP_LONGEST_S = 600 };

/* The headers that the parser reads, in the order of enum header. */
static const char *const known_names[] = {"content-length", "transfer-encoding", "retry-after", "date",
                                          "www-authenticate", "connection", "keep-alive", "content-encoding",
#ifdef PG_KEYS
                                          "dpop-nonce",
#endif
};

static int is_blank_char(uint8_t c) { return c == ' ' || c == '\t'; }

static char lower_case(uint8_t c) { return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }

static void clear_text(struct pg_http_response *response) {
  response->text_size = 0;
  response->is_cut = 0;
}

static void append_char(struct pg_http_response *response, char c) {
  if (response->text_size < PG_HTTP_RESPONSE_LINE) response->text[response->text_size++] = c;
  else response->is_cut = 1;
  PG_MUST(response->text_size <= PG_HTTP_RESPONSE_LINE, "a line's text fits into its buffer");
}

static int response_text_is(const struct pg_http_response *response, const char *expected) {
  size_t size = strlen(expected);
  if (response->text_size != size || response->is_cut) return 0;
  for (size_t i = 0; i < size; i++) {
    if (lower_case((uint8_t)response->text[i]) != expected[i]) return 0;
  }
  return 1;
}

static void refuse_for(struct pg_http_response *response, enum pg_reason reason) {
  response->step = REFUSED;
  response->reason = (uint8_t)reason;
}

static void refuse(struct pg_http_response *response) { refuse_for(response, PG_REASON_NOT_HTTP); }

/* Starts to read a head, and discards that of an interim response. */
static void begin_head(struct pg_http_response *response) {
  response->step = STATUS_LINE;
  response->status = 0;
  response->length = -1;
  response->is_chunked = 0;
  response->is_coded = 0;
  response->is_last = 0;
  response->keep_s = KEEP_UNSAID_S;
  response->date_s = -1;
  response->retry_size = 0;
  response->name = NO_HEADER;
  response->part = NAME;
  clear_text(response);
}

void pg_http_response_start(struct pg_http_response *response, const struct pg_http_response_sink *sink, void *context,
                     uint32_t body_max, uint32_t clock_s) {
  memset(response, 0, sizeof *response);
  response->sink = sink;
  response->context = context;
  response->body_max = body_max;
  response->clock_s = clock_s;
  begin_head(response);
}

/* Parses `HTTP/1.1 200`, followed by a space or nothing (RFC 9112 §4; many servers omit the space). */
static void take_status_line(struct pg_http_response *response) {
  const char *text = response->text;
  int size = response->text_size;
  if (size < 12 || memcmp(text, "HTTP/1.", 7) != 0 || !is_digit(text[7]) || text[8] != ' ' ||
      !is_digit(text[9]) || !is_digit(text[10]) || !is_digit(text[11]) ||
      (size > 12 && text[12] != ' ')) {
    refuse(response);
    return;
  }
  int status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
  /* 101 was not requested, and is invalid. A status above 599 counts as a server error (RFC 9110 §15). */
  if (status < 100 || status == 101) refuse(response);
  else response->step = LINE_BEGIN;
  response->status = (uint16_t)(status > 599 ? 599 : status);
  response->is_last = text[7] == '0';
  clear_text(response);
}

static void name_is_complete(struct pg_http_response *response) {
  response->name = OTHER_HEADER;
  for (int i = CONTENT_LENGTH; i < HEADERS_END; i++) {
    if (response_text_is(response, known_names[i - CONTENT_LENGTH])) response->name = (uint8_t)i;
  }
  if (response->text_size == 0) refuse(response);
  response->part = BLANK;
  clear_text(response);
}

static void take_length(struct pg_http_response *response) {
  enum { LONGEST = 100000000 };
  int32_t length = 0;
  int ok = response->text_size > 0 && !response->is_cut;
  for (int i = 0; i < response->text_size && ok; i++) {
    ok = is_digit(response->text[i]);
    /* A longer number is too large anyway, so its value does not matter. */
    if (ok && length < LONGEST) length = length * 10 + (response->text[i] - '0');
  }
  if (!ok || (response->length >= 0 && response->length != length)) refuse(response);
  else response->length = length;
}

/* Reports a byte of the header WWW-Authenticate of a 401 (RFC 9470), or of DPoP-Nonce (RFC 9449 §8). */
static void report_challenge(const struct pg_http_response *response, uint8_t c) {
  int is_requested = response->name == AUTHENTICATE && response->status == UNAUTHORIZED;
  if (is_requested && response->sink->challenge) response->sink->challenge(response->context, c);
#ifdef PG_KEYS
  if (response->name == DPOP_NONCE && response->sink->nonce) response->sink->nonce(response->context, c);
#endif
}

/* Parses `timeout=75`. Other parameters may follow. */
static void take_keep_alive(struct pg_http_response *response) {
  enum { BEFORE = 8 };
  size_t end = BEFORE;
  if (response->text_size <= BEFORE || memcmp(response->text, "timeout=", BEFORE) != 0) return;
  while (end < response->text_size && is_digit(response->text[end])) end++;
  if (end > BEFORE) response->keep_s = seconds_of(response->text + BEFORE, end - BEFORE) - 1;
}

/* Called when the last line of a header has arrived. */
static void header_is_complete(struct pg_http_response *response) {
  while (response->text_size > 0 && is_blank_char((uint8_t)response->text[response->text_size - 1])) {
    response->text_size--;
  }
  switch (response->name) {
    case CONTENT_LENGTH:
      take_length(response);
      break;
    case TRANSFER_ENCODING:
      if (!response_text_is(response, "chunked") || response->is_chunked) refuse_for(response, PG_REASON_UNKNOWN_CODING);
      response->is_chunked = 1;
      break;
    case RETRY_AFTER:
      if (response->is_cut || response->retry_size) break;
      memcpy(response->retry, response->text, response->text_size);
      response->retry_size = response->text_size;
      break;
    case DATE:
      if (!response->is_cut) (void)pg_http_date(response->text, response->text_size, &response->date_s);
      break;
    case AUTHENTICATE:
#ifdef PG_KEYS
    case DPOP_NONCE:
#endif
      report_challenge(response, '\n');
      break;
    case CONNECTION:
      if (!response_text_is(response, "keep-alive")) response->is_last = 1;
      break;
    case KEEP_ALIVE:
      take_keep_alive(response);
      break;
    case CONTENT_ENCODING:
      if (response->text_size > 0 && !response_text_is(response, "identity")) response->is_coded = 1;
      break;
    default:
      break;
  }
  response->name = NO_HEADER;
  response->part = NAME;
  clear_text(response);
}

/* Called at the empty line after the headers, which determine how the body is framed. */
static void head_is_complete(struct pg_http_response *response) {
  int status = response->status;
  if (status < 200) {
    begin_head(response);
    return;
  }
  if (response->is_chunked && response->length >= 0) {
    refuse(response);
    return;
  }
  if (response->length >= 0 && (uint32_t)response->length > response->body_max) {
    refuse_for(response, PG_REASON_TOO_LONG);
    return;
  }
  int64_t clock_s = response->clock_s ? (int64_t)response->clock_s : -1;
  int64_t from_s = response->date_s >= 0 ? response->date_s : clock_s;
  response->left = response->length > 0 ? (uint32_t)response->length : 0;
  if (status == 204 || status == 304 || response->length == 0) response->step = COMPLETE;
  else if (response->is_chunked) response->step = CHUNK_SIZE;
  else response->step = response->length > 0 ? BODY_BY_LENGTH : BODY_UNTIL_CLOSED;
  if (response->step == BODY_UNTIL_CLOSED) response->is_last = 1;
  PG_MUST(status >= 200 && status <= 599, "a status is in the range of HTTP");
  response->sink->status(response->context, status, pg_retry_after(response->retry, response->retry_size, from_s));
}

/* Starts a line. Its first byte shows whether it continues the previous header (RFC 9112 §5.2). */
static void begin_line(struct pg_http_response *response, uint8_t c) {
  if (is_blank_char(c)) {
    /* Directly after the status line there is no header to continue, and the line is ignored. */
    response->part = BLANK;
    if (response->text_size > 0) {
      append_char(response, ' ');
      report_challenge(response, ' ');
    }
    response->step = HEADER;
    return;
  }
  if (response->name != NO_HEADER) header_is_complete(response);
  if (response->step == REFUSED) return;
  if (c == '\n') {
    head_is_complete(response);
    return;
  }
  response->step = HEADER;
  response->part = NAME;
  clear_text(response);
  if (c == ':') refuse(response);
  else append_char(response, (char)c);
}

static void take_header_byte(struct pg_http_response *response, uint8_t c) {
  if (c == '\n') {
    if (response->part == NAME) refuse(response);
    else response->step = LINE_BEGIN;
  } else if (response->part == NAME) {
    if (c == ':') name_is_complete(response);
    else if (is_blank_char(c)) refuse(response);
    else append_char(response, (char)c);
  } else if (response->part == VALUE || !is_blank_char(c)) {
    response->part = VALUE;
    append_char(response, (char)c);
    report_challenge(response, c);
  }
}

static int hexadecimal_digit(uint8_t c) {
  if (is_digit(c)) return c - '0';
  char letter = lower_case(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static void chunk_size_is_complete(struct pg_http_response *response) {
  if (response->text_size == 0) refuse(response);
  else if (response->left > response->body_max) refuse_for(response, PG_REASON_TOO_LONG);
  else response->step = response->left > 0 ? CHUNK_DATA : TRAILER_BEGIN;
  clear_text(response);
}

/* `text_size` is 1 after the first digit. A line without digits is refused. */
static void take_chunk_size_byte(struct pg_http_response *response, uint8_t c) {
  int digit = hexadecimal_digit(c);
  if (digit >= 0 && response->left < 0x1000000) {
    response->left = response->left * 16 + (uint32_t)digit;
    response->text_size = 1;
  } else if (c == '\n') {
    chunk_size_is_complete(response);
  } else if ((c == ';' || is_blank_char(c)) && response->text_size > 0) {
    response->step = CHUNK_EXTENSION;
  } else {
    refuse_for(response, digit >= 0 ? PG_REASON_TOO_LONG : PG_REASON_NOT_HTTP);
  }
}

static void take_head_byte(struct pg_http_response *response, uint8_t c) {
  switch (response->step) {
    case STATUS_LINE:
      if (c == '\n') take_status_line(response);
      else append_char(response, (char)c);
      break;
    case LINE_BEGIN:
      begin_line(response, c);
      break;
    case HEADER:
      take_header_byte(response, c);
      break;
    case CHUNK_SIZE:
      take_chunk_size_byte(response, c);
      break;
    case CHUNK_EXTENSION:
      if (c == '\n') chunk_size_is_complete(response);
      break;
    case CHUNK_END:
      if (c == '\n') response->step = CHUNK_SIZE;
      else refuse(response);
      break;
    case TRAILER_BEGIN:
      response->step = c == '\n' ? COMPLETE : TRAILER;
      break;
    case TRAILER:
      if (c == '\n') response->step = TRAILER_BEGIN;
      break;
    default:
      break;
  }
}

static int is_in_body(const struct pg_http_response *response) {
  return response->step == BODY_BY_LENGTH || response->step == BODY_UNTIL_CLOSED ||
         response->step == CHUNK_DATA;
}

/* Passes the bytes of the body or chunk to the sink. Returns their number, or 0 if the response is refused. */
static size_t response_take_body(struct pg_http_response *response, const uint8_t *bytes, size_t size) {
  size_t taken = size;
  if (response->is_coded) {
    refuse_for(response, PG_REASON_UNKNOWN_CODING);
    return 0;
  }
  if (response->step != BODY_UNTIL_CLOSED && taken > response->left) taken = response->left;
  if (taken > response->body_max - response->body_bytes) {
    refuse_for(response, PG_REASON_TOO_LONG);
    return 0;
  }
  PG_MUST(taken > 0, "a piece of a body is not empty");
  response->body_bytes += (uint32_t)taken;
  PG_MUST(response->body_bytes <= response->body_max, "the body is not longer than the bytes taken");
  if (response->step != BODY_UNTIL_CLOSED) {
    response->left -= (uint32_t)taken;
    if (response->left == 0) response->step = response->step == CHUNK_DATA ? CHUNK_END : COMPLETE;
  }
  response->sink->body(response->context, bytes, taken);
  return taken;
}

/* Takes a byte of a head, chunk size or trailer. A NUL is invalid, and so is a CR without an LF (RFC 9112 §2.2). */
static void take_byte(struct pg_http_response *response, uint8_t c) {
  if (++response->head_bytes > PG_HTTP_RESPONSE_HEAD_MAX) {
    refuse_for(response, PG_REASON_HEAD_TOO_LONG);
    return;
  }
  if (c == 0 || (response->is_cr && c != '\n')) {
    refuse(response);
    return;
  }
  response->is_cr = c == '\r';
  if (!response->is_cr) take_head_byte(response, c);
}

static enum pg_http_response_result result_of(const struct pg_http_response *response) {
  if (response->step == COMPLETE) return PG_HTTP_RESPONSE_END;
  return response->step == REFUSED ? PG_HTTP_RESPONSE_INVALID : PG_HTTP_RESPONSE_MORE;
}

enum pg_http_response_result pg_http_response_read(struct pg_http_response *response, const uint8_t *bytes, size_t size) {
  size_t at = 0;
  while (at < size && response->step != COMPLETE && response->step != REFUSED) {
    /* For `npm run host -- --prove`: Frama-C analyses each value of `at` separately. */
    //@ split at;
    if (is_in_body(response)) at += response_take_body(response, bytes + at, size - at);
    else take_byte(response, bytes[at++]);
  }
  /* The server has sent more than was requested, so the connection must be closed. */
  if (at < size) response->is_last = 1;
  return result_of(response);
}

enum pg_http_response_result pg_http_response_closed(struct pg_http_response *response) {
  if (response->step == BODY_UNTIL_CLOSED) response->step = COMPLETE;
  else if (response->step != COMPLETE && response->step != REFUSED) refuse_for(response, PG_REASON_CUT_OFF);
  return result_of(response);
}

int pg_http_response_keep_s(const struct pg_http_response *response) {
  if (response->step != COMPLETE || response->is_last || response->keep_s < 0) return 0;
  return response->keep_s < KEEP_LONGEST_S ? response->keep_s : KEEP_LONGEST_S;
}
