/* device.json as a C host takes it. Contract in config.h. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "address.h"
#include "assertion.h"
#include "json.h"

enum kind {
  OBJECT,
  TEXT,       /* printable ASCII */
  ADDRESS,    /* https, or http to this device itself */
  ADDRESSES,  /* a list of those, for the endpoints from the first resource server on */
  FILE_PATH,  /* absolute */
  NUMBER,     /* low..high */
  FLAG,       /* true or false */
  METHOD,     /* of client authentication */
  PKCE,       /* S256 */
  BODIES,     /* form or json */
  PARAMETERS, /* names and texts, put together form-encoded */
  HEADERS,    /* names and texts, put together as lines of a request's head */
  MESSAGES,   /* display texts by name, put together as the core takes them */
  REASONS,    /* the same of what has no connection for a reason, as reason.h takes them */
  IGNORED     /* for other hosts */
};

struct member {
  const char *path;
  enum kind kind;
  size_t offset;
  int low;  /* NUMBER: least value; texts: 1 where required */
  int high; /* NUMBER: greatest value; texts: most characters */
};

#define AT(field) offsetof(struct pg_config, field)
#define ADDRESS_AT(endpoint) AT(settings.addresses) + PG_ENDPOINT_##endpoint * sizeof(const char *)

enum { PATH_MAX_SIZE = 1024, ADDRESS_MAX_SIZE = 256, MESSAGE_MAX = 96 };

static const struct member members[] = {
    {"$schema", IGNORED, 0, 0, 0},
    {"clientId", TEXT, AT(settings.client_id), 1, 256},
    {"clientSecret", TEXT, AT(settings.client_secret), 0, 256},
    {"clientAuthentication", METHOD, AT(settings.client_authentication), 0, 0},
    {"scope", TEXT, AT(settings.scope), 1, 512},
    {"deviceParameters", PARAMETERS, AT(settings.device_parameters), 0, 0},
    {"tokenParameters", PARAMETERS, AT(settings.token_parameters), 0, 0},
    {"pkce", PKCE, AT(settings.pkce), 0, 0},
    {"bodies", BODIES, AT(settings.json_bodies), 0, 0},
    {"issuer", ADDRESS, AT(settings.server), 0, ADDRESS_MAX_SIZE},
    {"headers", OBJECT, 0, 0, 0},
    {"headers.grant", HEADERS, AT(settings.grant_headers), 0, 0},
    {"headers.resource", HEADERS, AT(settings.resource_headers), 0, 0},
    {"endpoints", OBJECT, 0, 0, 0},
    {"endpoints.deviceAuthorization", ADDRESS, ADDRESS_AT(DEVICE_AUTHORIZATION), 1, ADDRESS_MAX_SIZE},
    {"endpoints.token", ADDRESS, ADDRESS_AT(TOKEN), 1, ADDRESS_MAX_SIZE},
    {"endpoints.revocation", ADDRESS, ADDRESS_AT(REVOCATION), 0, ADDRESS_MAX_SIZE},
    {"endpoints.metadata", IGNORED, 0, 0, 0},
    {"endpoints.events", IGNORED, 0, 0, 0},
    {"endpoints.resources", ADDRESSES, ADDRESS_AT(RESOURCE), 0, ADDRESS_MAX_SIZE},
    {"display", OBJECT, 0, 0, 0},
    {"display.kind", IGNORED, 0, 0, 0},
    {"display.columns", NUMBER, AT(settings.columns), 16, 80},
    {"display.rows", NUMBER, AT(settings.rows), 2, 8},
    {"display.path", IGNORED, 0, 0, 0},
    {"display.fileDescriptor", IGNORED, 0, 0, 0},
    {"messages", MESSAGES, AT(settings.messages), 0, MESSAGE_MAX},
    {"reasons", REASONS, AT(settings.reasons), 0, MESSAGE_MAX},
    {"limits", OBJECT, 0, 0, 0},
    {"limits.memoryBytes", NUMBER, AT(settings.memory_bytes), 2048, PG_MEMORY_MAX},
    {"limits.exchangeSeconds", NUMBER, AT(settings.exchange_seconds), 1, 110},
    {"limits.connectSeconds", NUMBER, AT(settings.connect_seconds), 1, 60},
    {"limits.responseBytes", NUMBER, AT(settings.response_bytes), 1024, 1048576},
    {"limits.renewals", NUMBER, AT(settings.renewals), 0, 1000},
    {"limits.startSpreadMs", NUMBER, AT(settings.start_spread_ms), 0, 3600000},
    {"storage", OBJECT, 0, 0, 0},
    {"storage.directory", FILE_PATH, AT(directory), 0, PATH_MAX_SIZE},
    {"storage.deviceKey", IGNORED, 0, 0, 0},
    {"storage.deviceKeyFile", IGNORED, 0, 0, 0},
    {"http", OBJECT, 0, 0, 0},
    {"http.certificates", FILE_PATH, AT(certificates), 0, PATH_MAX_SIZE},
    {"http.curl", IGNORED, 0, 0, 0},
    {"http.userAgent", TEXT, AT(settings.user_agent), 0, 256},
    {"control", IGNORED, 0, 0, 0},
    {"timeServer", IGNORED, 0, 0, 0},
    {"autoStart", FLAG, AT(settings.auto_start), 0, 0},
};
enum { MEMBER_COUNT = sizeof members / sizeof *members };

/* Until the document says it. */
enum { METHOD_UNSAID = -1 };

static const struct pg_config defaults = {
    .settings = {.user_agent = "picogrant-host",
                 .columns = 20,
                 .rows = 4,
                 .memory_bytes = 4096,
                 .exchange_seconds = 30,
                 .connect_seconds = 10,
                 .response_bytes = 65536,
                 .renewals = 3,
                 .start_spread_ms = 5000,
                 .auto_start = 1,
                 .client_authentication = METHOD_UNSAID}};

/* What is being read. */
struct reader {
  struct pg_json json;
  struct pg_config *config;
  char is_read[MEMBER_COUNT]; /* by the member's place in the table */
  char *capacity;
  size_t capacity_size;
  size_t capacity_at;
};

static const char TWICE[] = "has a name that is there twice";

static int fail(struct reader *reader, const char *path, const char *what) {
  struct pg_config *config = reader->config;
  snprintf(config->problem, sizeof config->problem, "%.80s %s", path, what);
  return 0;
}

static int is_json(struct reader *reader, enum pg_json_kind kind) {
  return kind == PG_JSON_INVALID ? fail(reader, "it", "is not JSON") : 1;
}

/* Whether the text or name read last is this one; behind an escaped NUL there may be more. */
static int text_is(const struct pg_json *json, const char *expected) {
  return json->string_size == strlen(expected) && memcmp(json->string, expected, json->string_size) == 0;
}

static int is_printable(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (text[i] < 32 || text[i] > 126) return 0;
  }
  return 1;
}

/* Tokens go over TLS, or do not leave the device. */
static int is_address(const char *text) {
  struct pg_address address;
  return pg_address_split(text, &address) &&
         (address.peer.is_secure || pg_address_is_own(&address));
}

static int take_text(struct reader *reader, const struct member *member, enum pg_json_kind kind) {
  const char *text = reader->json.string;
  size_t size = reader->json.string_size;
  if (kind != PG_JSON_TEXT) return fail(reader, member->path, "is not a text");
  if (size == 0 || size > (size_t)member->high) return fail(reader, member->path, "is empty or too long");
  if (!is_printable(text, size)) {
    return fail(reader, member->path, "has other than printable ASCII characters");
  }
  if (member->kind == ADDRESS && !is_address(text)) {
    return fail(reader, member->path, "is not an https address, or http to this device itself");
  }
  if (member->kind == FILE_PATH && text[0] != '/') {
    return fail(reader, member->path, "is not an absolute path");
  }
  *(const char **)(void *)((char *)reader->config + member->offset) = text;
  return 1;
}

/* The addresses that there is a place for; resource servers beyond those are for other hosts. */
static int take_addresses(struct reader *reader, const struct member *member,
                          enum pg_json_kind kind) {
  struct member address = {member->path, ADDRESS, member->offset, 0, member->high};
  int endpoint = PG_ENDPOINT_RESOURCE;
  int more;
  if (kind != PG_JSON_ARRAY) return fail(reader, member->path, "is not a list");
  while ((more = pg_json_element(&reader->json)) > 0) {
    if (endpoint == PG_ADDRESS_COUNT) {
      if (!pg_json_skip(&reader->json)) return is_json(reader, PG_JSON_INVALID);
      continue;
    }
    kind = pg_json_value(&reader->json);
    if (!is_json(reader, kind) || !take_text(reader, &address, kind)) return 0;
    address.offset += sizeof(const char *);
    endpoint++;
  }
  return more == 0 ? 1 : is_json(reader, PG_JSON_INVALID);
}

static int take_number(struct reader *reader, const struct member *member, enum pg_json_kind kind) {
  int value = reader->json.integer;
  if (kind != PG_JSON_INTEGER || value < member->low || value > member->high) {
    struct pg_config *config = reader->config;
    snprintf(config->problem, sizeof config->problem, "%.80s is not an integer from %d to %d",
             member->path, member->low, member->high);
    return 0;
  }
  *(int *)(void *)((char *)reader->config + member->offset) = value;
  return 1;
}

static int take_flag(struct reader *reader, const struct member *member, enum pg_json_kind kind) {
  if (kind != PG_JSON_TRUE && kind != PG_JSON_FALSE) {
    return fail(reader, member->path, "is not true or false");
  }
  *(int *)(void *)((char *)reader->config + member->offset) = kind == PG_JSON_TRUE;
  return 1;
}

/* Words that stand for numbers, which are their places. */
static const char *const methods[] = {
    [PG_CLIENT_AUTHENTICATION_NONE] = "none",
    [PG_CLIENT_AUTHENTICATION_CLIENT_SECRET_POST] = "client_secret_post",
    [PG_CLIENT_AUTHENTICATION_CLIENT_SECRET_BASIC] = "client_secret_basic",
    [PG_CLIENT_AUTHENTICATION_SPECIFICATION] = "specification",
};
static const char *const challenges[] = {NULL, "S256"};
static const char *const bodies[] = {"form", "json"};

static int take_word(struct reader *reader, const struct member *member, enum pg_json_kind kind,
                     const char *const *words, int count, const char *otherwise) {
  for (int i = 0; kind == PG_JSON_TEXT && i < count; i++) {
    if (!words[i] || !text_is(&reader->json, words[i])) continue;
    *(int *)(void *)((char *)reader->config + member->offset) = i;
    return 1;
  }
  return fail(reader, member->path, otherwise);
}

/* One byte into the room, which always keeps a place for the 0 at the end. */
static int put(struct reader *reader, char c) {
  if (reader->capacity_size - reader->capacity_at < 2) return 0;
  reader->capacity[reader->capacity_at++] = c;
  reader->capacity[reader->capacity_at] = 0;
  return 1;
}

/* application/x-www-form-urlencoded */
static int put_encoded(struct reader *reader, const char *text, size_t size) {
  static const char hex[] = "0123456789ABCDEF";
  int ok = 1;
  for (size_t i = 0; i < size && ok; i++) {
    unsigned char c = (unsigned char)text[i];
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
        (c && strchr("*-._", c))) {
      ok = put(reader, (char)c);
    } else if (c == ' ') {
      ok = put(reader, '+');
    } else {
      ok = put(reader, '%') && put(reader, hex[c >> 4]) && put(reader, hex[c & 15]);
    }
  }
  return ok;
}

/* Letters of ASCII alone. */
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int begins_alike(const char *text, const char *beginning, int ignores_case) {
  for (; *beginning; text++, beginning++) {
    int is_alike = ignores_case ? lower(*text) == lower(*beginning) : *text == *beginning;
    if (!is_alike) return 0;
  }
  return 1;
}

/*
 * Whether one of `joined`'s members has the name that was just put behind them, with what ends it there: the
 * members begin with '&', which values have encoded only, or are lines. Names of headers are the same in any
 * case (RFC 9110 section 5.1).
 */
static int is_twice(const char *joined, const char *name, int are_lines) {
  for (const char *at = joined; at < name; at++) {
    int is_begin = are_lines ? at == joined || at[-1] == '\n' : *at == '&';
    if (is_begin && begins_alike(at, name, are_lines)) return 1;
  }
  return 0;
}

/* `&name=value` behind the others of `joined`, the name having been read. */
static int put_parameter(struct reader *reader, const struct member *member, const char *joined) {
  const char *name = reader->capacity + reader->capacity_at;
  if (!put(reader, '&') || !put_encoded(reader, reader->json.string, reader->json.string_size) ||
      !put(reader, '=')) {
    return fail(reader, member->path, "is too long");
  }
  if (is_twice(joined, name, 0)) return fail(reader, member->path, TWICE);
  enum pg_json_kind kind = pg_json_value(&reader->json);
  if (!is_json(reader, kind)) return 0;
  if (kind != PG_JSON_TEXT) return fail(reader, member->path, "is not an object of texts");
  return put_encoded(reader, reader->json.string, reader->json.string_size)
             ? 1
             : fail(reader, member->path, "is too long");
}

static int put_text(struct reader *reader, const char *text, size_t size) {
  int ok = 1;
  for (size_t i = 0; i < size && ok; i++) ok = put(reader, text[i]);
  return ok;
}

/* RFC 9110 section 5.6.2; as JSON gives it, the text ends with a 0. */
static int is_token(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char c = text[i];
    int is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!is_letter && (!c || !strchr("!#$%&'*+-.^_`|~", c))) return 0;
  }
  return size > 0;
}

static int is_same_name(const char *name, const char *other) {
  return strlen(name) == strlen(other) && begins_alike(name, other, 1);
}

/* What the host writes itself: a second one would split requests, or send tokens where they do not belong. */
static int is_of_the_host(const char *name) {
  static const char *const own[] = {"accept", "accept-encoding", "authorization", "connection", "content-length",
                                    "content-type", "expect", "host", "transfer-encoding", "user-agent"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (is_same_name(name, own[i])) return 1;
  }
  return 0;
}

/* `Name: value` and the line's end behind the others of `joined`, the name having been read. */
static int put_header(struct reader *reader, const struct member *member, const char *joined) {
  const struct pg_json *json = &reader->json;
  const char *name = reader->capacity + reader->capacity_at;
  if (!is_token(json->string, json->string_size)) {
    return fail(reader, member->path, "has a name that is no token of RFC 9110 section 5.6.2");
  }
  if (is_of_the_host(json->string)) {
    return fail(reader, member->path, "has a header that is not the configuration's to set");
  }
  int ok = put_text(reader, json->string, json->string_size) && put_text(reader, ": ", 2);
  if (ok && is_twice(joined, name, 1)) return fail(reader, member->path, TWICE);
  enum pg_json_kind kind = pg_json_value(&reader->json);
  if (!is_json(reader, kind)) return 0;
  if (kind != PG_JSON_TEXT) return fail(reader, member->path, "is not an object of texts");
  if (!is_printable(json->string, json->string_size)) {
    return fail(reader, member->path, "has other than printable ASCII characters");
  }
  ok = ok && put_text(reader, json->string, json->string_size) && put_text(reader, "\r\n", 2);
  return ok ? 1 : fail(reader, member->path, "is too long");
}

/* How many characters of a display a text has: printable ASCII and U+0080..U+00FF, its own. -1: it has others. */
static int displayable(const char *text, size_t size) {
  int count = 0;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == 0xC2 || c == 0xC3) i++;
    else if (c < 32 || c > 126) return -1;
    count++;
  }
  return count;
}

/* Display texts that a document may say in another language. */
struct texts {
  const char *const *names;
  const char *const *english;
  int count;
};

enum { REASON_COUNT = PG_REASON_COUNT - 1, TEXTS_MAX = PG_MESSAGE_COUNT };
_Static_assert(REASON_COUNT <= TEXTS_MAX, "there are fewer reasons than messages");

static const struct texts *texts_of(enum kind kind) {
  static const char *const message_names[] = PG_MESSAGE_NAMES;
  static const char *const message_texts[] = PG_MESSAGE_TEXTS;
  static const char *const reason_names[] = PG_REASON_NAMES;
  static const char *const reason_texts[] = PG_REASON_TEXTS;
  static const struct texts messages = {message_names, message_texts, PG_MESSAGE_COUNT};
  /* Number 0 is no reason. */
  static const struct texts reasons = {reason_names + 1, reason_texts + 1, REASON_COUNT};
  return kind == MESSAGES ? &messages : &reasons;
}

/* The number of the text that is named so, or -1. */
static int text_of(const struct texts *texts, const struct pg_json *json) {
  for (int i = 0; i < texts->count; i++) {
    if (text_is(json, texts->names[i])) return i;
  }
  return -1;
}

/* One message, its name having been read; `own` has those read before by number. */
static int take_message(struct reader *reader, const struct member *member, const char **own) {
  int message = text_of(texts_of(member->kind), &reader->json);
  if (message < 0) return fail(reader, member->path, "has a message of an unknown name");
  if (own[message]) return fail(reader, member->path, TWICE);
  enum pg_json_kind kind = pg_json_value(&reader->json);
  if (!is_json(reader, kind)) return 0;
  if (kind != PG_JSON_TEXT) return fail(reader, member->path, "is not an object of texts");
  int count = displayable(reader->json.string, reader->json.string_size);
  if (count < 0) return fail(reader, member->path, "has a character that is none of the display's");
  if (count == 0 || count > member->high) return fail(reader, member->path, "has an empty or too long text");
  own[message] = reader->json.string;
  return 1;
}

/* The core takes all of them or none: what the document leaves out stays in English. */
static int put_messages(struct reader *reader, const struct member *member) {
  const struct texts *texts = texts_of(member->kind);
  const char *own[TEXTS_MAX] = {NULL};
  int more;
  while ((more = pg_json_member(&reader->json)) > 0) {
    if (!take_message(reader, member, own)) return 0;
  }
  if (more < 0) return is_json(reader, PG_JSON_INVALID);
  for (int i = 0; i < texts->count; i++) {
    const char *text = own[i] ? own[i] : texts->english[i];
    int ok = (i == 0 || put(reader, '\n')) && put_text(reader, text, strlen(text));
    if (!ok) return fail(reader, member->path, "is too long");
  }
  return 1;
}

/* The members of an object, each put behind the ones before. */
static int put_members(struct reader *reader, const struct member *member) {
  const char *joined = reader->capacity + reader->capacity_at;
  int more;
  while ((more = pg_json_member(&reader->json)) > 0) {
    int ok = member->kind == HEADERS ? put_header(reader, member, joined)
                                     : put_parameter(reader, member, joined);
    if (!ok) return 0;
  }
  return more == 0 ? 1 : is_json(reader, PG_JSON_INVALID);
}

/* An object, put together as one text. */
static int take_joined(struct reader *reader, const struct member *member, enum pg_json_kind kind) {
  if (kind != PG_JSON_OBJECT) return fail(reader, member->path, "is not an object");
  const char *joined = reader->capacity + reader->capacity_at;
  int is_texts = member->kind == MESSAGES || member->kind == REASONS;
  int ok = is_texts ? put_messages(reader, member) : put_members(reader, member);
  if (!ok) return 0;
  *(const char **)(void *)((char *)reader->config + member->offset) = joined;
  /* Behind the 0. */
  PG_MUST(reader->capacity_size == 0 ||
              (reader->capacity_at < reader->capacity_size && !reader->capacity[reader->capacity_at]),
          "a text in the room has its end");
  if (reader->capacity_at + 1 < reader->capacity_size) {
    reader->capacity[++reader->capacity_at] = 0;
  }
  return 1;
}

/* The member of the object at `path` ("" for the document) whose name was read last, or NULL. */
static const struct member *find(const char *path, const struct pg_json *json) {
  size_t ahead = strlen(path);
  for (const struct member *member = members; member < members + MEMBER_COUNT; member++) {
    if (!begins_alike(member->path, path, 0)) continue;
    const char *name = member->path + ahead;
    if (ahead > 0 && *name++ != '.') continue;
    if (text_is(json, name)) return member;
  }
  return NULL;
}

static int fail_unknown(struct reader *reader, const char *path, const char *name) {
  struct pg_config *config = reader->config;
  snprintf(config->problem, sizeof config->problem, "%.80s%s%.80s is unknown", path, *path ? "." : "", name);
  return 0;
}

/* The value of a member that is none of an object's. */
static int take(struct reader *reader, const struct member *member) {
  if (member->kind == IGNORED) {
    return pg_json_skip(&reader->json) ? 1 : is_json(reader, PG_JSON_INVALID);
  }
  enum pg_json_kind kind = pg_json_value(&reader->json);
  if (!is_json(reader, kind)) return 0;
  switch (member->kind) {
    case ADDRESSES:
      return take_addresses(reader, member, kind);
    case NUMBER:
      return take_number(reader, member, kind);
    case FLAG:
      return take_flag(reader, member, kind);
    case PKCE:
      return take_word(reader, member, kind, challenges, 2, "is not S256");
    case BODIES:
      return take_word(reader, member, kind, bodies, 2, "is not form or json");
    case METHOD:
      return take_word(reader, member, kind, methods, sizeof methods / sizeof *methods,
                       "is not none, client_secret_post, client_secret_basic or documents");
    case PARAMETERS:
    case HEADERS:
    case MESSAGES:
    case REASONS:
      return take_joined(reader, member, kind);
    default:
      return take_text(reader, member, kind);
  }
}

/* The members of the document, or of an object in it: there are two levels, the table says. */
static int take_object(struct reader *reader, const char *path) {
  int more;
  while ((more = pg_json_member(&reader->json)) > 0) {
    const struct member *member = find(path, &reader->json);
    if (!member) return fail_unknown(reader, path, reader->json.string);
    char *is_read = &reader->is_read[member - members];
    if (*is_read) return fail(reader, member->path, "is there twice");
    *is_read = 1;
    if (member->kind != OBJECT) {
      if (!take(reader, member)) return 0;
    } else {
      enum pg_json_kind kind = pg_json_value(&reader->json);
      if (!is_json(reader, kind)) return 0;
      if (kind != PG_JSON_OBJECT) return fail(reader, member->path, "is not an object");
      if (!take_object(reader, member->path)) return 0;
    }
  }
  return more == 0 ? 1 : is_json(reader, PG_JSON_INVALID);
}

static int is_text(enum kind kind) {
  return kind == TEXT || kind == ADDRESS || kind == FILE_PATH || kind == PARAMETERS || kind == HEADERS ||
         kind == MESSAGES || kind == REASONS;
}

/* What the document leaves out is ""; what it must not leave out is named. */
static int complete(struct reader *reader) {
  struct pg_config *config = reader->config;
  for (const struct member *member = members; member < members + MEMBER_COUNT; member++) {
    if (!is_text(member->kind)) continue;
    const char **field = (const char **)(void *)((char *)config + member->offset);
    if (!*field && member->low) return fail(reader, member->path, "is missing");
    if (!*field) *field = "";
  }
  for (int i = 0; i < PG_ADDRESS_COUNT; i++) {
    if (!config->settings.addresses[i]) config->settings.addresses[i] = "";
  }
  /* A client with a secret sends it in the body by default. */
  if (config->settings.client_authentication == METHOD_UNSAID) {
    config->settings.client_authentication = *config->settings.client_secret
                                                 ? PG_CLIENT_AUTHENTICATION_CLIENT_SECRET_POST
                                                 : PG_CLIENT_AUTHENTICATION_NONE;
  }
  return 1;
}

const char *pg_config_read(struct pg_config *config, char *text, size_t size, char *capacity,
                           size_t capacity_size) {
  struct reader reader = {.config = config, .capacity = capacity, .capacity_size = capacity_size};
  *config = defaults;
  pg_json_start(&reader.json, text, size);
  if (capacity_size > 0) capacity[0] = 0;
  enum pg_json_kind kind = pg_json_value(&reader.json);
  int ok = is_json(&reader, kind);
  if (ok && kind != PG_JSON_OBJECT) ok = fail(&reader, "it", "is not an object");
  ok = ok && take_object(&reader, "");
  if (ok && !pg_json_at_end(&reader.json)) ok = is_json(&reader, PG_JSON_INVALID);
  return ok && complete(&reader) ? NULL : config->problem;
}
