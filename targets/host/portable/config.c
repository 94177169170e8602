/* device.json as this host takes it. Contract in config.h. */
#include "config.h"

#include <quickjs.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind {
  OBJECT,
  TEXT,       /* printable ASCII */
  ADDRESS,    /* https, or http to this device itself */
  FILE_PATH,  /* absolute */
  NUMBER,     /* low..high */
  FLAG,       /* true or false */
  PARAMETERS, /* names and texts, put together form-encoded */
  IGNORED,    /* for other hosts */
  REFUSED     /* would change what the device does, and this host does not know how */
};

struct member {
  const char *path;
  enum kind kind;
  size_t offset;
  int low;  /* NUMBER: least value; texts: 1 where required */
  int high; /* NUMBER: greatest value; texts: size of the field */
};

#define AT(field) offsetof(struct pg_config, field)
#define TEXT_AT(field) AT(field), 0, sizeof(((struct pg_config *)0)->field)
#define NEEDED_AT(field) AT(field), 1, sizeof(((struct pg_config *)0)->field)

static const struct member members[] = {
    {"$schema", IGNORED, 0, 0, 0},
    {"clientId", TEXT, NEEDED_AT(client_id)},
    {"clientSecret", TEXT, TEXT_AT(client_secret)},
    {"scope", TEXT, NEEDED_AT(scope)},
    {"deviceParameters", PARAMETERS, TEXT_AT(device_parameters)},
    {"issuer", IGNORED, 0, 0, 0},
    {"endpoints", OBJECT, 0, 0, 0},
    {"endpoints.deviceAuthorization", ADDRESS, NEEDED_AT(device_authorization)},
    {"endpoints.token", ADDRESS, NEEDED_AT(token)},
    {"endpoints.revocation", ADDRESS, TEXT_AT(revocation)},
    {"endpoints.metadata", IGNORED, 0, 0, 0},
    {"endpoints.videoApi", ADDRESS, TEXT_AT(video_api)},
    {"endpoints.publisherApi", IGNORED, 0, 0, 0},
    {"endpoints.events", IGNORED, 0, 0, 0},
    {"display", OBJECT, 0, 0, 0},
    {"display.kind", IGNORED, 0, 0, 0},
    {"display.columns", NUMBER, AT(columns), 16, 80},
    {"display.rows", NUMBER, AT(rows), 2, 8},
    {"display.path", IGNORED, 0, 0, 0},
    {"display.fileDescriptor", IGNORED, 0, 0, 0},
    {"messages", REFUSED, 0, 0, 0},
    {"limits", OBJECT, 0, 0, 0},
    {"limits.memoryBytes", NUMBER, AT(memory_bytes), 2048, 8192},
    {"limits.exchangeSeconds", NUMBER, AT(exchange_seconds), 1, 110},
    {"limits.connectSeconds", NUMBER, AT(connect_seconds), 1, 60},
    {"limits.answerBytes", NUMBER, AT(answer_bytes), 1024, 1048576},
    {"limits.renewals", NUMBER, AT(renewals), 0, 1000},
    {"storage", OBJECT, 0, 0, 0},
    {"storage.directory", FILE_PATH, NEEDED_AT(directory)},
    {"storage.deviceKey", IGNORED, 0, 0, 0},
    {"storage.deviceKeyFile", IGNORED, 0, 0, 0},
    {"http", OBJECT, 0, 0, 0},
    {"http.certificates", FILE_PATH, TEXT_AT(certificates)},
    {"http.curl", IGNORED, 0, 0, 0},
    {"http.userAgent", TEXT, TEXT_AT(user_agent)},
    {"control", IGNORED, 0, 0, 0},
    {"autoStart", FLAG, AT(auto_start), 0, 0},
    {"revokeInBody", FLAG, AT(revoke_in_body), 0, 0},
};
enum { MEMBER_COUNT = sizeof members / sizeof *members };

static const struct pg_config defaults = {
    .user_agent = "picogrant-host", .columns = 20,        .rows = 4,
    .memory_bytes = 4096,           .exchange_seconds = 30, .connect_seconds = 10,
    .answer_bytes = 65536,          .renewals = 3,       .auto_start = 1};

static char problem[256];

static int fail(const char *path, const char *what) {
  snprintf(problem, sizeof problem, "%.80s %s", path, what);
  return 0;
}

static int is_printable(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (text[i] < 32 || text[i] > 126) return 0;
  }
  return 1;
}

static int starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Tokens go over TLS, or do not leave the device. */
static int is_address(const char *text) {
  static const char *const own[] = {"http://localhost", "http://127.0.0.1", "http://[::1]"};
  if (strpbrk(text, " #@\\")) return 0;
  if (starts_with(text, "https://")) return text[8] != 0 && text[8] != '/';
  for (int i = 0; i < 3; i++) {
    if (starts_with(text, own[i]) && strchr(":/?", text[strlen(own[i])])) return 1;
  }
  return 0;
}

static int take_text(JSContext *context, struct pg_config *config, const struct member *member,
                     JSValue value) {
  size_t size = 0;
  const char *text = JS_IsString(value) ? JS_ToCStringLen(context, &size, value) : NULL;
  if (!text) return fail(member->path, "is not a text");
  int ok = 1;
  if (size == 0 || size >= (size_t)member->high) {
    ok = fail(member->path, "is empty or too long");
  } else if (!is_printable(text, size)) {
    ok = fail(member->path, "has other than printable ASCII characters");
  } else if (member->kind == ADDRESS && !is_address(text)) {
    ok = fail(member->path, "is not an https address, or http to this device itself");
  } else if (member->kind == FILE_PATH && text[0] != '/') {
    ok = fail(member->path, "is not an absolute path");
  } else {
    memcpy((char *)config + member->offset, text, size + 1);
  }
  JS_FreeCString(context, text);
  return ok;
}

static int take_number(struct pg_config *config, const struct member *member, JSValue value) {
  int *field = (int *)(void *)((char *)config + member->offset);
  if (JS_VALUE_GET_TAG(value) != JS_TAG_INT || JS_VALUE_GET_INT(value) < member->low ||
      JS_VALUE_GET_INT(value) > member->high) {
    char what[80];
    snprintf(what, sizeof what, "is not an integer from %d to %d", member->low, member->high);
    return fail(member->path, what);
  }
  *field = JS_VALUE_GET_INT(value);
  return 1;
}

static int take_flag(JSContext *context, struct pg_config *config, const struct member *member,
                     JSValue value) {
  if (!JS_IsBool(value)) return fail(member->path, "is not true or false");
  *(int *)(void *)((char *)config + member->offset) = JS_ToBool(context, value);
  return 1;
}

/* application/x-www-form-urlencoded behind what the buffer holds; 0 where it is full. */
static int add_encoded(char *into, size_t size, const char *text) {
  static const char hex[] = "0123456789ABCDEF";
  size_t at = strlen(into);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (at + 4 > size) return 0;
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
        strchr("*-._", c)) {
      into[at++] = (char)c;
    } else if (c == ' ') {
      into[at++] = '+';
    } else {
      into[at++] = '%';
      into[at++] = hex[c >> 4];
      into[at++] = hex[c & 15];
    }
  }
  into[at] = 0;
  return 1;
}

static int add_parameter(JSContext *context, char *into, size_t size, JSAtom name, JSValue value) {
  const char *key = JS_AtomToCString(context, name);
  const char *text = JS_IsString(value) ? JS_ToCString(context, value) : NULL;
  int ok = 0;
  size_t at = strlen(into);
  if (key && text && at + 3 < size) {
    memcpy(into + at, "&", 2);
    ok = add_encoded(into, size, key);
    at = strlen(into);
    if (ok && at + 2 < size) {
      memcpy(into + at, "=", 2);
      ok = add_encoded(into, size, text);
    } else {
      ok = 0;
    }
  }
  if (text) JS_FreeCString(context, text);
  if (key) JS_FreeCString(context, key);
  return ok;
}

static void free_names(JSContext *context, JSPropertyEnum *names, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) JS_FreeAtom(context, names[i].atom);
  js_free(context, names);
}

static int take_parameters(JSContext *context, struct pg_config *config,
                           const struct member *member, JSValue value) {
  JSPropertyEnum *names = NULL;
  uint32_t count = 0;
  if (!JS_IsObject(value)) return fail(member->path, "is not an object");
  if (JS_GetOwnPropertyNames(context, &names, &count, value,
                             JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0) {
    return fail(member->path, "cannot be read");
  }
  int ok = 1;
  for (uint32_t i = 0; i < count && ok; i++) {
    JSValue text = JS_GetProperty(context, value, names[i].atom);
    ok = add_parameter(context, (char *)config + member->offset, (size_t)member->high,
                       names[i].atom, text);
    JS_FreeValue(context, text);
  }
  free_names(context, names, count);
  return ok ? 1 : fail(member->path, "is not an object of texts, or they are too long");
}

static int take_object(JSContext *context, struct pg_config *config, const char *path,
                       JSValue object);

static int take(JSContext *context, struct pg_config *config, const char *path, JSValue value) {
  const struct member *member = members;
  while (member < members + MEMBER_COUNT && strcmp(member->path, path) != 0) member++;
  if (member == members + MEMBER_COUNT) return fail(path, "is unknown");
  switch (member->kind) {
    case OBJECT:
      return take_object(context, config, path, value);
    case NUMBER:
      return take_number(config, member, value);
    case FLAG:
      return take_flag(context, config, member, value);
    case PARAMETERS:
      return take_parameters(context, config, member, value);
    case IGNORED:
      return 1;
    case REFUSED:
      return fail(path, "is not supported by the C host; leave it out");
    default:
      return take_text(context, config, member, value);
  }
}

static int take_object(JSContext *context, struct pg_config *config, const char *path,
                       JSValue object) {
  JSPropertyEnum *names = NULL;
  uint32_t count = 0;
  if (!JS_IsObject(object) || JS_IsArray(context, object)) {
    return fail(*path ? path : "it", "is not an object");
  }
  if (JS_GetOwnPropertyNames(context, &names, &count, object,
                             JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0) {
    return fail(path, "cannot be read");
  }
  int ok = 1;
  for (uint32_t i = 0; i < count && ok; i++) {
    char inner[256];
    const char *name = JS_AtomToCString(context, names[i].atom);
    JSValue value = JS_GetProperty(context, object, names[i].atom);
    snprintf(inner, sizeof inner, "%.80s%s%.80s", path, *path ? "." : "", name ? name : "");
    ok = take(context, config, inner, value);
    JS_FreeValue(context, value);
    if (name) JS_FreeCString(context, name);
  }
  free_names(context, names, count);
  return ok;
}

static int has_all(const struct pg_config *config) {
  for (const struct member *member = members; member < members + MEMBER_COUNT; member++) {
    int is_text = member->kind == TEXT || member->kind == ADDRESS || member->kind == FILE_PATH;
    if (is_text && member->low && !*((const char *)config + member->offset)) {
      return fail(member->path, "is missing");
    }
  }
  return 1;
}

const char *pg_config_parse(struct pg_config *config, const char *text, size_t size) {
  *config = defaults;
  JSRuntime *runtime = JS_NewRuntime();
  JSContext *context = runtime ? JS_NewContextRaw(runtime) : NULL;
  int ok = 0;
  if (context) {
    JS_AddIntrinsicBaseObjects(context);
    JSValue value = JS_ParseJSON(context, text, size, "");
    ok = JS_IsException(value) ? fail("it", "is not JSON") : take_object(context, config, "", value);
    JS_FreeValue(context, value);
    JS_FreeContext(context);
  } else {
    fail("it", "cannot be read: no memory");
  }
  if (runtime) JS_FreeRuntime(runtime);
  return ok && has_all(config) ? NULL : problem;
}
