/* HTTP with libcurl's multi interface. Contract in http.h. */
#include "http.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

static struct {
  const struct pg_http_settings *settings;
  const struct pg_http_sink *sink;
  CURLM *multi;
  CURL *easy;
  struct curl_slist *headers;
  int active;
  int started; /* the status has been reported */
  size_t received;
  char url[PG_URL_BYTES];
  char authorization[PG_AUTHORIZATION_BYTES];
} http;

static void report_status(void) {
  long status = 0;
  curl_off_t retry_after = 0;
  if (http.started) return;
  http.started = 1;
  curl_easy_getinfo(http.easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(http.easy, CURLINFO_RETRY_AFTER, &retry_after);
  /* libcurl says 0 where the header is absent. */
  if (retry_after > 86400) retry_after = 86400;
  http.sink->status((int)status, retry_after > 0 ? (int)retry_after : -1);
}

static size_t take_body(char *bytes, size_t one, size_t size, void *unused) {
  (void)unused;
  size *= one;
  http.received += size;
  /* Fewer than given: libcurl gives the transfer up. */
  if (http.received > http.settings->answer_bytes) return 0;
  report_status();
  http.sink->body((const uint8_t *)bytes, size);
  return size;
}

const char *pg_http_open(const struct pg_http_settings *settings, const struct pg_http_sink *sink) {
  http.settings = settings;
  http.sink = sink;
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "libcurl does not start";
  http.multi = curl_multi_init();
  http.easy = curl_easy_init();
  return http.multi && http.easy ? NULL : "libcurl has no memory";
}

/* Secrets do not stay behind in buffers that the next exchange may not fill. */
static void finish(void) {
  if (!http.active) return;
  curl_multi_remove_handle(http.multi, http.easy);
  curl_easy_reset(http.easy);
  curl_slist_free_all(http.headers);
  http.headers = NULL;
  http.active = 0;
  explicit_bzero(http.url, sizeof http.url);
  explicit_bzero(http.authorization, sizeof http.authorization);
}

void pg_http_close(void) {
  finish();
  curl_easy_cleanup(http.easy);
  curl_multi_cleanup(http.multi);
  curl_global_cleanup();
}

static int make_url(const struct pg_http_request *request) {
  size_t length = strlen(request->address);
  if (length + request->target_size >= sizeof http.url) return 0;
  memcpy(http.url, request->address, length);
  if (request->target_size) memcpy(http.url + length, request->target, request->target_size);
  http.url[length + request->target_size] = 0;
  return 1;
}

static int add_header(const char *line) {
  struct curl_slist *longer = curl_slist_append(http.headers, line);
  if (!longer) return 0;
  http.headers = longer;
  return 1;
}

static int make_headers(const struct pg_http_request *request) {
  char line[128];
  /* No 100-continue: small bodies gain nothing by it, and some servers never answer it. */
  if (!add_header("Accept: application/json") || !add_header("Expect:")) return 0;
  if (!request->is_get) {
    snprintf(line, sizeof line, "Content-Type: %s", request->content_type);
    if (!add_header(line)) return 0;
  }
  if (!request->bearer) return 1;
  int length = snprintf(http.authorization, sizeof http.authorization, "Authorization: Bearer %.*s",
                        (int)request->bearer_size, (const char *)request->bearer);
  return length > 0 && (size_t)length < sizeof http.authorization && add_header(http.authorization);
}

static void set_options(const struct pg_http_request *request) {
  CURL *easy = http.easy;
  const struct pg_http_settings *settings = http.settings;
  curl_easy_setopt(easy, CURLOPT_URL, http.url);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  /* A proxy of the environment tunnels https, but could read http: an address of this device itself. */
  if (strncmp(http.url, "http:", 5) == 0) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 1024L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http.headers);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, settings->user_agent);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, settings->connect_seconds);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT, settings->exchange_seconds);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  /* libcurl sends again on a kept connection that turned out dead: a poll must not go out twice. */
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  if (*settings->certificates) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, settings->certificates);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  }
  if (request->is_get) return;
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)request->body_size);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body_size ? (const void *)request->body : "");
}

int pg_http_send(const struct pg_http_request *request) {
  finish();
  http.active = 1;
  http.started = 0;
  http.received = 0;
  if (make_url(request) && make_headers(request)) {
    set_options(request);
    if (curl_multi_add_handle(http.multi, http.easy) == CURLM_OK) return 1;
  }
  finish();
  return 0;
}

void pg_http_abort(void) { finish(); }

void pg_http_wait(int timeout_ms, const int *descriptors, int count) {
  struct curl_waitfd wanted[2];
  for (int i = 0; i < count && i < 2; i++) {
    wanted[i] = (struct curl_waitfd){descriptors[i], CURL_WAIT_POLLIN, 0};
  }
  curl_multi_poll(http.multi, wanted, (unsigned)count, timeout_ms, NULL);
}

void pg_http_work(void) {
  int running = 0;
  int left = 0;
  CURLMsg *message;
  if (!http.active) return;
  curl_multi_perform(http.multi, &running);
  while (http.active && (message = curl_multi_info_read(http.multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    int ok = message->data.result == CURLE_OK;
    if (ok) report_status();
    finish();
    if (ok) http.sink->end();
    else http.sink->failed();
  }
}
