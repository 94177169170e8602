/*
 * A device in C from picogrant.c, picogrant.h and libcurl (7.85 or newer). console.h has its settings.
 *         cc -D_GNU_SOURCE -I dist libcurl.c dist/picogrant.c -lcurl -o device
 * Keys have no effect during a request, which takes at most 100 s. event-loop.c does not block.
 */
#include <curl/curl.h>

#include "console.h"

static CURL *curl;
static int request_id;
static int is_for_api;
static CURLcode setup;

/*
 * Receives a line of the response head. An empty line ends the head, which may be that of an interim response (RFC 9110
 * section 15.2).
 */
static size_t take_line(char *line, size_t one, size_t size, void *unused) {
  long status = 0;
  curl_off_t seconds = 0;
  (void)unused;
  if (curl_strnequal(line, "www-authenticate:", 17)) {
    pg_response_challenge(&core, request_id, (const uint8_t *)line + 17, size * one - 17);
  }
  if (curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK) return 0;
  if (curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK) return 0;
  /* The core's integers have 27 bits. Without a Retry-After, libcurl returns 0. */
  if (seconds <= 0 || seconds > 134217727) seconds = seconds <= 0 ? -1 : 134217727;
  if (*line == '\r' && status >= 200) {
    is_for_api = pg_response_start(&core, request_id, status > 599 ? 500 : (int)status, (int)seconds);
  }
  return size * one;
}

/* Passes on the body as it arrives, whatever its length. Stores nothing. */
static size_t take_body(char *bytes, size_t one, size_t size, void *unused) {
  (void)unused;
  pg_response_body(&core, request_id, (const uint8_t *)bytes, size * one);
  /* The application gets the API's response. Here it is printed on standard error. */
  if (is_for_api && fwrite(bytes, one, size, stderr) < size) return 0;
  return size * one;
}

/* libcurl may refuse any option if it is out of memory, or if it was built without it. */
#define SET(option, value) (setup = setup ? setup : curl_easy_setopt(curl, option, value))

/* Sends the core's request. Returns whether a complete response has arrived. */
static int perform(void) {
  char address[2048], token[MEMORY];
  const char *base = setting(addresses[pg_get(&core, PG_ENDPOINT)]);
  struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json"), *both = headers;
  int size = snprintf(address, sizeof address, "%s%.*s", base, pg_get(&core, PG_TARGET_LENGTH), memory + pg_get(&core, PG_TARGET));
  if (pg_get(&core, PG_AUTHORIZATION) == PG_AUTHORIZATION_BEARER) {
    snprintf(token, MEMORY, "Authorization: Bearer %.*s", pg_length(&core, PG_FIELD_ACCESS_TOKEN),
             memory + pg_start(&core, PG_FIELD_ACCESS_TOKEN));
    both = headers ? curl_slist_append(headers, token) : NULL;
  }
  setup = both && size < (int)sizeof address ? CURLE_OK : CURLE_OUT_OF_MEMORY;
  curl_easy_reset(curl);
  SET(CURLOPT_URL, address);
  SET(CURLOPT_HTTPHEADER, headers);
  SET(CURLOPT_HEADERFUNCTION, take_line);
  SET(CURLOPT_WRITEFUNCTION, take_body);
  /*
   * Accept every coding that libcurl can decode, because a server may use one that was not requested (RFC 9110 section
   * 12.5.3).
   */
  SET(CURLOPT_ACCEPT_ENCODING, "");
  SET(CURLOPT_PROTOCOLS_STR, is_own(base) ? "http" : "https");
  SET(CURLOPT_NOPROXY, is_own(base) ? "*" : NULL);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (*setting("CA")) SET(CURLOPT_CAINFO, setting("CA"));
  SET(CURLOPT_TIMEOUT, 100L);
  /* If a reused connection turns out to be closed, libcurl would send the request a second time. */
  SET(CURLOPT_FORBID_REUSE, 1L);
  SET(CURLOPT_POSTFIELDSIZE, (long)pg_get(&core, PG_BODY_LENGTH));
  SET(CURLOPT_POSTFIELDS, memory + pg_get(&core, PG_BODY));
  if (pg_get(&core, PG_IS_GET)) SET(CURLOPT_HTTPGET, 1L);
  if (setup == CURLE_OK) setup = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  return setup == CURLE_OK;
}

static void send_request(void) {
  request_id = pg_get(&core, PG_REQUEST_ID);
  int id = request_id, is_whole = perform();
  if (!is_whole) fprintf(stderr, "no response: %s\n", curl_easy_strerror(setup));
  /* First let time pass in the core. */
  run();
  if (is_whole) pg_response_end(&core, id);
  else pg_response_failed(&core, id);
}

static void abort_request(void) {}

int main(void) {
  int exit_code = open_device(), keys = STDIN_FILENO;
  if (exit_code || !(curl = curl_easy_init())) return exit_code ? exit_code : 1;
  for (int is_on = 1; is_on;) {
    struct pollfd waiting = {.fd = keys, .events = POLLIN};
    run();
    if (poll(&waiting, 1, pg_wake_in(&core)) < 1) continue;
    run();
    is_on = press_key(&keys);
  }
  curl_easy_cleanup(curl);
  pg_core_close(&core);
}
