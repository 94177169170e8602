/*
 * BearSSL's check with ours around it. Contract in tls.h.
 *
 * A certificate comes in pieces, and there is no room to keep it. So its bytes are watched as they pass: wherever the
 * identifier of the list of uses stands, what follows is read as that list, and each such list must have the use for
 * servers. What a key or a text happens to hold can make us refuse a certificate, but not take one.
 */
#include "tls.h"

#include <string.h>

enum uses_state { NO_LIST, BEFORE_LIST, BOOLEAN, BOOLEAN_VALUE, OCTETS_SIZE, SEQUENCE, SEQUENCE_SIZE, USE, USE_SIZE, USE_BYTES };
enum { DER_BOOLEAN = 1, DER_OCTETS = 4, DER_OID = 6, DER_SEQUENCE = 0x30, DER_DNS_NAME = 0x82, DER_LONG = 0x81 };

/* id-ce-extKeyUsage, with its tag and length. */
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

/* A byte of what stands behind the identifier: perhaps a boolean, octets, in them a sequence of uses. */
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

/* Each list that begins is one for others until the use for servers is found in it. */
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

/* The DNS name `*.example`: tag, length, an asterisk, the domain. */
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

static void start_chain(const br_x509_class **context, const char *name) {
  struct certificate_check *check = check_of(context);
  const char *dot = strchr(name, '.');
  check->certificates = 0;
  check->domain = dot && !strchr(dot + 1, '.') ? dot : NULL;
  check->domain_matched = check->uses_matched = 0;
  check->has_domain_wildcard = check->is_for_others = 0;
  check->uses_state = NO_LIST;
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
  /* 0: there is no DNS name at all, and it was the common name that fitted. */
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
