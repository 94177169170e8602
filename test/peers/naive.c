/* A minimal client for RFC 8628 in C for the comparison, as a developer could write it in a day, with Debian's jsmn.h
 * for JSON. It requests a code, shows it, polls, stores the tokens in RAM, and refreshes. It has no retries, no
 * records, no display and no sign-out. It does not encode values, and fails if a response is too long or malformed. The
 * firmware provides `post`, `show` and `sleep`. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "jsmn.h"

enum { RESPONSE = 4096, TOKENS = 64, BODY = 1024, VALUE = 512 };

/* Returns the status, or 0 without a response. */
int post(const char *address, const char *body, char *received, size_t size);
void show(const char *code, const char *address);

static const char GRANT[] = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code";
static char received[RESPONSE], body[BODY], access_token[VALUE], refresh_token[VALUE];
static jsmntok_t tokens[TOKENS];
static int count;

static int request(const char *address) {
  jsmn_parser parser;
  int status = post(address, body, received, RESPONSE);
  jsmn_init(&parser);
  count = jsmn_parse(&parser, received, strlen(received), tokens, TOKENS);
  return count > 0 && tokens[0].type == JSMN_OBJECT ? status : 0;
}

/* Copies a member of the response as it is between its quotes. Returns 0 if it is missing or too long. */
static int member(const char *name, char *value, size_t size) {
  for (int i = 1; i + 1 < count; i += 2) {
    const jsmntok_t *key = &tokens[i], *at = &tokens[i + 1];
    size_t length = (size_t)(at->end - at->start);
    if (strlen(name) != (size_t)(key->end - key->start) || length >= size) continue;
    if (strncmp(received + key->start, name, strlen(name)) != 0) continue;
    memcpy(value, received + at->start, length);
    value[length] = 0;
    return 1;
  }
  return 0;
}

static int take_tokens(void) {
  member("refresh_token", refresh_token, VALUE);
  return member("access_token", access_token, VALUE);
}

int refresh(const char *id, const char *token_address) {
  snprintf(body, BODY, "grant_type=refresh_token&refresh_token=%s&client_id=%s", refresh_token, id);
  return request(token_address) == 200 && take_tokens();
}

int sign_in(const char *id, const char *scope, const char *code_address, const char *token_address) {
  char device_code[VALUE], user_code[64], address[256], word[64];
  snprintf(body, BODY, "client_id=%s&scope=%s", id, scope);
  if (request(code_address) != 200 || !member("device_code", device_code, VALUE)) return 0;
  if (!member("user_code", user_code, sizeof user_code)) return 0;
  if (!member("verification_uri", address, sizeof address)) return 0;
  unsigned interval = member("interval", word, sizeof word) ? (unsigned)atoi(word) : 5;
  show(user_code, address);
  for (;;) {
    sleep(interval);
    snprintf(body, BODY, "grant_type=%s&device_code=%s&client_id=%s", GRANT, device_code, id);
    if (request(token_address) == 200) return take_tokens();
    if (!member("error", word, sizeof word)) return 0;
    if (strcmp(word, "slow_down") == 0) interval += 5;
    else if (strcmp(word, "authorization_pending") != 0) return 0;
  }
}

#ifdef ON_DESK
int post(const char *address, const char *form, char *into, size_t size) {
  char line[2 * BODY];
  snprintf(line, sizeof line, "curl -s -w %%{http_code} -d '%s' %s", form, address);
  FILE *curl = popen(line, "r");
  size_t length = fread(into, 1, size - 1, curl);
  pclose(curl);
  into[length] = 0;
  if (length < 3) return 0;
  int status = atoi(into + length - 3);
  into[length - 3] = 0;
  return status;
}

void show(const char *code, const char *address) { fprintf(stderr, "%s: %s\n", address, code); }

int main(int count_of, char **word) {
  return count_of == 5 && sign_in(word[1], word[2], word[3], word[4]) && refresh(word[1], word[4]) ? 0 : 1;
}
#endif
