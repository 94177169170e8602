/* Extends BearSSL's certificate check (tls.h). A certificate arrives in pieces, and there is no memory to store it. So
 * the check searches the arriving bytes for the identifier of the list of uses (extended key usage), and parses the
 * bytes after it as that list, which must contain the use for servers or for any purpose. If a key or a text contains
 * the identifier by chance, the check may refuse a valid certificate, but never accepts an invalid one. */
#include "tls.h"

#include <string.h>

#include "board.h"
#include "http-response.h"

enum uses_state { NO_LIST, BEFORE_LIST, BOOLEAN, BOOLEAN_VALUE, OCTETS_SIZE, SEQUENCE, SEQUENCE_SIZE, USE, USE_SIZE, USE_BYTES };
enum { DER_BOOLEAN = 1, DER_OCTETS = 4, DER_OID = 6, DER_SEQUENCE = 0x30, DER_DNS_NAME = 0x82, DER_LONG = 0x81,
       DER_UTC_TIME = 0x17, DER_TIME = 0x18 };
enum { DAY_S = 86400, DAYS_TO_1970 = 719528 };

/* The identifier id-ce-extKeyUsage, with its tag and length. */
static const uint8_t uses_oid[] = {DER_OID, 3, 0x55, 0x1d, 0x25};
static const uint8_t for_servers[] = {0x2b, 6, 1, 5, 5, 7, 3, 1};
static const uint8_t for_anything[] = {0x55, 0x1d, 0x25, 0};

static struct certificate_check *check_of(const br_x509_class **context) {
  return (struct certificate_check *)(void *)context;
}

int certificate_is_address(const char *host) {
  size_t length = strlen(host);
  return strchr(host, ':') || strspn(host, "0123456789.") == length;
}

static int is_use(const struct certificate_check *check, const uint8_t *oid, size_t size) {
  return check->use_at == size && memcmp(check->use, oid, size) == 0;
}

static void end_use(struct certificate_check *check) {
  if (is_use(check, for_servers, sizeof for_servers) || is_use(check, for_anything, sizeof for_anything)) {
    check->is_for_others--;
    check->uses_state = NO_LIST;
  } else {
    check->uses_state = check->uses_left > 0 ? USE : NO_LIST;
  }
}

static void take_use(struct certificate_check *check, uint8_t byte) {
  if (check->use_at < CERTIFICATE_OID_BYTES) check->use[check->use_at] = byte;
  check->use_at++;
  if (--check->use_left == 0) end_use(check);
}

/* Reads a byte after the identifier. A valid list: an optional boolean, then an octet string with a sequence of
 * uses. */
static void read_list(struct certificate_check *check, uint8_t byte) {
  int state = check->uses_state;
  if (state >= USE && check->uses_left-- == 0) state = NO_LIST;
  switch (state) {
    case BEFORE_LIST:
      check->uses_state = byte == DER_BOOLEAN ? BOOLEAN : byte == DER_OCTETS ? OCTETS_SIZE : NO_LIST;
      break;
    case BOOLEAN:
      check->uses_state = BOOLEAN_VALUE;
      break;
    case BOOLEAN_VALUE:
      check->uses_state = BEFORE_LIST;
      break;
    case OCTETS_SIZE:
      if (byte != DER_LONG) check->uses_state = SEQUENCE;
      break;
    case SEQUENCE:
      check->uses_state = byte == DER_SEQUENCE ? SEQUENCE_SIZE : NO_LIST;
      break;
    case SEQUENCE_SIZE:
      check->uses_left = byte;
      if (byte != DER_LONG) check->uses_state = USE;
      break;
    case USE:
      check->uses_state = byte == DER_OID ? USE_SIZE : NO_LIST;
      break;
    case USE_SIZE:
      check->use_left = byte;
      check->use_at = 0;
      check->uses_state = byte > 0 ? USE_BYTES : USE;
      break;
    case USE_BYTES:
      take_use(check, byte);
      break;
    default:
      check->uses_state = NO_LIST;
  }
}

/* Searches for lists of uses. A list is invalid until the use for servers or for any purpose has been found in it. */
static void watch_uses(struct certificate_check *check, uint8_t byte) {
  if (check->uses_state != NO_LIST) read_list(check, byte);
  if (byte != uses_oid[check->uses_matched]) check->uses_matched = 0;
  if (byte == uses_oid[check->uses_matched] && ++check->uses_matched == sizeof uses_oid) {
    check->uses_matched = 0;
    check->uses_state = BEFORE_LIST;
    check->is_for_others++;
  }
}

static int is_same_letter(char a, uint8_t b) {
  return a == (char)b || (((a | 0x20) >= 'a' && (a | 0x20) <= 'z') && (a | 0x20) == (char)(b | 0x20));
}

/* Whether a byte is the next one of the DNS name `*.example`: tag, length, an asterisk, the domain. */
static int is_wildcard_byte(const struct certificate_check *check, uint8_t byte) {
  size_t at = check->domain_matched;
  if (at == 0) return byte == DER_DNS_NAME;
  if (at == 1) return byte == strlen(check->domain) + 1;
  return at == 2 ? byte == '*' : is_same_letter(check->domain[at - 3], byte);
}

static void watch_names(struct certificate_check *check, uint8_t byte) {
  if (!check->domain) return;
  if (!is_wildcard_byte(check, byte)) check->domain_matched = 0;
  if (!is_wildcard_byte(check, byte)) return;
  if (++check->domain_matched < strlen(check->domain) + 3) return;
  check->domain_matched = 0;
  check->has_domain_wildcard = 1;
}

/* Parses YYMMDDhhmmss with a year in 1950..2049, or YYYYMMDDhhmmss (RFC 5280 section 4.1.2.5). Returns seconds since
 * 1970; 0 before 1970 or for an invalid month, UINT32_MAX after 2105. */
static uint32_t seconds_of(const char *text, size_t digits) {
  int parts[7];
  for (size_t i = 0; i < digits; i += 2) parts[7 - digits / 2 + i / 2] = (text[i] - '0') * 10 + text[i + 1] - '0';
  if (digits < CERTIFICATE_TIME_DIGITS) parts[0] = parts[1] < 50 ? 20 : 19;
  int year = parts[0] * 100 + parts[1];
  if (year < 1970 || parts[2] < 1 || parts[2] > 12) return 0;
  if (year > 2105) return UINT32_MAX;
  uint32_t days = (uint32_t)pg_days_of(year, parts[2], parts[3]);
  return days * DAY_S + (uint32_t)(parts[4] * 3600 + parts[5] * 60 + parts[6]);
}

/* Sets the time at which BearSSL checks the certificate, before BearSSL gets the end of notBefore or notAfter. */
static void take_time(struct certificate_check *check) {
  check->valid_s[check->times++] = seconds_of(check->time, check->time_digits);
  uint32_t until_s = check->times == 2 ? check->valid_s[1] : UINT32_MAX;
  uint32_t now = pg_wall_clock_judge(&board_clock, check->valid_s[0], until_s);
  br_x509_minimal_set_time(&check->minimal, now / DAY_S + DAYS_TO_1970, now % DAY_S);
}

/* Reads the first two times of a certificate, which are its validity: tag, length, digits, Z. */
static void watch_times(struct certificate_check *check, uint8_t byte) {
  if (check->times == 2) return;
  size_t at = check->time_at++;
  if (at == 0) {
    check->time_digits = byte == DER_UTC_TIME ? CERTIFICATE_TIME_DIGITS - 2 : CERTIFICATE_TIME_DIGITS;
    if (byte != DER_UTC_TIME && byte != DER_TIME) check->time_at = 0;
  } else if (at == 1) {
    if (byte != check->time_digits + 1) check->time_at = 0;
  } else if (at < check->time_digits + 2) {
    check->time[at - 2] = (char)byte;
    if (byte < '0' || byte > '9') check->time_at = 0;
  } else {
    if (byte == 'Z') take_time(check);
    check->time_at = 0;
  }
}

static void start_chain(const br_x509_class **context, const char *name) {
  struct certificate_check *check = check_of(context);
  const char *dot = strchr(name, '.');
  check->certificates = 0;
  check->domain = dot && !strchr(dot + 1, '.') ? dot : NULL;
  check->domain_matched = check->uses_matched = 0;
  check->has_domain_wildcard = check->is_for_others = 0;
  check->uses_state = NO_LIST;
  check->time_at = 0;
  check->times = 0;
  /* Start with the year 1970, in which no certificate is valid, in case the certificate has no validity period. */
  br_x509_minimal_set_time(&check->minimal, DAYS_TO_1970, 0);
  check->minimal.vtable->start_chain(&check->minimal.vtable, name);
}

static void start_certificate(const br_x509_class **context, uint32_t size) {
  struct certificate_check *check = check_of(context);
  check->certificates++;
  check->minimal.vtable->start_cert(&check->minimal.vtable, size);
}

static void append(const br_x509_class **context, const unsigned char *bytes, size_t size) {
  struct certificate_check *check = check_of(context);
  for (size_t i = 0; i < size && check->certificates == 1; i++) {
    watch_uses(check, bytes[i]);
    watch_names(check, bytes[i]);
    watch_times(check, bytes[i]);
  }
  check->minimal.vtable->append(&check->minimal.vtable, bytes, size);
}

static void end_certificate(const br_x509_class **context) {
  struct certificate_check *check = check_of(context);
  check->minimal.vtable->end_cert(&check->minimal.vtable);
}

static unsigned end_chain(const br_x509_class **context) {
  struct certificate_check *check = check_of(context);
  unsigned error = check->minimal.vtable->end_chain(&check->minimal.vtable);
  if (error) return error;
  /* The status is 0 if the certificate has no DNS name and only its common name matches. */
  if (check->first_name.status == 0 || check->has_domain_wildcard) return BR_ERR_X509_BAD_SERVER_NAME;
  return check->is_for_others ? BR_ERR_X509_FORBIDDEN_KEY_USAGE : 0;
}

static const br_x509_pkey *get_key(const br_x509_class *const *context, unsigned *usages) {
  const struct certificate_check *check = (const struct certificate_check *)(const void *)context;
  return check->minimal.vtable->get_pkey(&check->minimal.vtable, usages);
}

void certificate_check_open(struct certificate_check *check) {
  static const br_x509_class around = {sizeof *check,   start_chain, start_certificate, append,
                                       end_certificate, end_chain,   get_key};
  static const unsigned char dns_name[] = {0, 2};
  check->vtable = &around;
  check->first_name = (br_name_element){dns_name, check->first_name_text, sizeof check->first_name_text, 0};
  br_x509_minimal_set_name_elements(&check->minimal, &check->first_name, 1);
}
