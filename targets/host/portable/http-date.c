/* Dates of HTTP. Contract in http-date.h. */
#include "http-date.h"

#include <string.h>

struct date {
  int year;
  int month; /* 1..12 */
  int day;
  int hour;
  int minute;
  int second;
};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

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

/* Days from 1970-01-01; a day that the month does not have counts on into the next one. */
static int64_t days_of(const struct date *date) {
  static const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  int64_t years = date->year - 1;
  int is_leap =
      date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0) && date->month > 2;
  int64_t days = years * 365 + years / 4 - years / 100 + years / 400;
  return days + before[date->month - 1] + is_leap + date->day - 1 - 719162;
}

int pg_http_date(const char *text, size_t size, int64_t *seconds) {
  struct date date = {0};
  if (!take_imf_fixdate(text, size, &date) && !take_rfc_850(text, size, &date) &&
      !take_asctime(text, size, &date)) {
    return 0;
  }
  if (date.year < 1 || date.month < 1 || date.day < 1 || date.day > 31 || date.hour < 0 ||
      date.hour > 23 || date.minute < 0 || date.minute > 59 || date.second < 0 || date.second > 60) {
    return 0;
  }
  *seconds = days_of(&date) * 86400 + date.hour * 3600 + date.minute * 60 + date.second;
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
  if (!pg_http_date(text, size, &until) || from_s == 0) return -1;
  if (until <= from_s) return 0;
  return until - from_s > PG_RETRY_LONGEST_S ? PG_RETRY_LONGEST_S : (int)(until - from_s);
}
