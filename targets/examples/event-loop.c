/*
 * A device in C on an event loop that does not block, as on an RTOS. It uses picogrant.c, one socket, mbedTLS (2.28),
 * and the HTTP parser of the host in C. console.h has its settings.
 *         cc -D_GNU_SOURCE -I dist -I ../host/portable event-loop.c dist/picogrant.c ../host/portable/http-response.c
 *           -lmbedtls -lmbedx509 -lmbedcrypto -o device
 * On a board, replace the socket by lwIP (whose dns_gethostbyname does not block, unlike getaddrinfo), poll by a task's
 * event, and the files by flash.
 */
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <netdb.h>

#include "console.h"
#include "http-response.h"

enum { REQUEST = 2 * MEMORY, NAME = 256, BODY_MAX = 1 << 20 };
enum step { IDLE, CONNECT, HANDSHAKE, SEND, RECEIVE };

/* The current exchange. There is only one at a time. */
static struct {
  enum step step;
  int request_id, is_secure;
  int is_for_api; /* the application gets the body */
  short events;   /* events for which poll waits */
  mbedtls_net_context net;
  char request[REQUEST];
  size_t size, sent;
  struct pg_http_response response;
} http = {.net.fd = -1};

static mbedtls_ssl_context tls;
static mbedtls_ssl_config tls_settings;
static mbedtls_x509_crt authorities;
static mbedtls_entropy_context entropy;
static mbedtls_ctr_drbg_context drbg;

static void take_status(void *context, int status, int retry_after_s) {
  (void)context;
  http.is_for_api = pg_response_start(&core, http.request_id, status > 599 ? 500 : status, retry_after_s);
}

static void take_body(void *context, const uint8_t *bytes, size_t size) {
  (void)context;
  pg_response_body(&core, http.request_id, bytes, size);
  if (http.is_for_api) fwrite(bytes, 1, size, stderr); /* an application would process it here */
}

static void take_challenge(void *context, uint8_t byte) {
  (void)context;
  pg_response_challenge(&core, http.request_id, &byte, 1);
}

static void abort_request(void) {
  if (http.step == IDLE) return;
  mbedtls_net_free(&http.net);
  mbedtls_ssl_free(&tls);
  mbedtls_platform_zeroize(http.request, sizeof http.request); /* it contained a token */
  http.step = IDLE;
}

/* Starts to connect to the first address of the server. */
static int begin_connection(const char *name, const char *port) {
  static const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo *address = NULL;
  if (getaddrinfo(name, port, &hints, &address)) return 0;
  http.net.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  http.events = POLLOUT;
  int is_begun = connect(http.net.fd, address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS;
  freeaddrinfo(address);
  return is_begun;
}

/* Starts the request of PG_COMMAND_SEND. */
static int begin(void) {
  static const struct pg_http_response_sink sink = {take_status, take_body, take_challenge};
  const char *address = setting(addresses[pg_get(&core, PG_ENDPOINT)]);
  const char *authority = strstr(address, "://") ? strstr(address, "://") + 3 : "";
  int length = (int)strcspn(authority, "/?");
  int is_bearer = pg_get(&core, PG_AUTHORIZATION) == PG_AUTHORIZATION_BEARER;
  char name[NAME];
  abort_request();
  http.step = CONNECT;
  http.request_id = pg_get(&core, PG_REQUEST_ID);
  http.is_secure = strncmp(address, "https://", 8) == 0;
  http.sent = 0;
  mbedtls_ssl_init(&tls);
  pg_http_response_start(&http.response, &sink, NULL, BODY_MAX, (uint32_t)time(NULL));
  int size = snprintf(http.request, REQUEST,
                      "%s %s%s%.*s HTTP/1.1\r\nHost: %.*s\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
                      "Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n"
                      "%s%.*s\r\n\r\n%.*s",
                      pg_get(&core, PG_IS_GET) ? "GET" : "POST", authority[length] == '/' ? "" : "/", authority + length,
                      pg_get(&core, PG_TARGET_LENGTH), memory + pg_get(&core, PG_TARGET), length, authority,
                      pg_get(&core, PG_BODY_LENGTH), is_bearer ? "Authorization: Bearer " : "User-Agent: event-loop",
                      is_bearer ? pg_length(&core, PG_FIELD_ACCESS_TOKEN) : 0, memory + pg_start(&core, PG_FIELD_ACCESS_TOKEN),
                      pg_get(&core, PG_BODY_LENGTH), memory + pg_get(&core, PG_BODY));
  if (size >= REQUEST || length >= NAME) return 0;
  http.size = (size_t)size;
  snprintf(name, NAME, "%.*s", length, authority);
  char *port = strchr(name, ':');
  if (port) *port++ = 0;
  if (!http.is_secure && !is_own(address)) return 0;
  if (http.is_secure && (mbedtls_ssl_setup(&tls, &tls_settings) || mbedtls_ssl_set_hostname(&tls, name))) return 0;
  mbedtls_ssl_set_bio(&tls, &http.net, mbedtls_net_send, mbedtls_net_recv, NULL);
  return begin_connection(name, port ? port : http.is_secure ? "443" : "80");
}

/* Lets time pass in the core, then reports the end of the exchange. */
static void finish(int is_whole) {
  abort_request();
  run();
  if (is_whole) pg_response_end(&core, http.request_id);
  else pg_response_failed(&core, http.request_id);
}

static void send_request(void) {
  if (!begin()) finish(0);
}

/* Converts a result of mbedTLS or the socket: 1 progress, 0 must wait, -1 failed. */
static int progress(int result) {
  if (result >= 0) return 1;
  if (result != MBEDTLS_ERR_SSL_WANT_READ && result != MBEDTLS_ERR_SSL_WANT_WRITE) return -1;
  http.events = result == MBEDTLS_ERR_SSL_WANT_READ ? POLLIN : POLLOUT;
  return 0;
}

static int send_more(void) {
  const uint8_t *bytes = (uint8_t *)http.request + http.sent;
  size_t size = http.size - http.sent;
  int sent = http.is_secure ? mbedtls_ssl_write(&tls, bytes, size) : mbedtls_net_send(&http.net, bytes, size);
  if (sent > 0) http.sent += (size_t)sent;
  if (http.sent == http.size) http.step = RECEIVE;
  return progress(sent);
}

static int receive_more(void) {
  uint8_t bytes[1024];
  int size = http.is_secure ? mbedtls_ssl_read(&tls, bytes, sizeof bytes) : mbedtls_net_recv(&http.net, bytes, sizeof bytes);
  /* With TLS, a proper end needs a close_notify. Otherwise an attacker may have cut the response. */
  int is_end = size == (http.is_secure ? MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY : 0);
  if (!is_end && size <= 0) return size == 0 ? -1 : progress(size);
  enum pg_http_response_result result = is_end ? pg_http_response_closed(&http.response)
                                               : pg_http_response_read(&http.response, bytes, (size_t)size);
  if (result == PG_HTTP_RESPONSE_END) finish(1);
  return result == PG_HTTP_RESPONSE_INVALID ? -1 : 1;
}

/* Advances the exchange as far as possible without waiting. */
static void work(void) {
  int moved = 1;
  while (moved > 0 && http.step != IDLE) {
    int error = 0;
    socklen_t size = sizeof error;
    struct pollfd waiting = {.fd = http.net.fd, .events = http.events};
    if (poll(&waiting, 1, 0) == 0 && http.step == CONNECT) return;
    if (http.step == CONNECT) {
      moved = getsockopt(http.net.fd, SOL_SOCKET, SO_ERROR, &error, &size) || error ? -1 : 1;
      http.step = http.is_secure ? HANDSHAKE : SEND;
    } else if (http.step == HANDSHAKE) {
      moved = progress(mbedtls_ssl_handshake(&tls));
      if (moved > 0) http.step = SEND;
    } else moved = http.step == SEND ? send_more() : receive_more();
  }
  if (moved < 0) finish(0);
}

static int open_tls(void) {
  const char *file = *setting("CA") ? setting("CA") : "/etc/ssl/certs/ca-certificates.crt";
  mbedtls_ssl_config_init(&tls_settings);
  mbedtls_x509_crt_init(&authorities);
  mbedtls_entropy_init(&entropy);
  mbedtls_ctr_drbg_init(&drbg);
  if (mbedtls_ctr_drbg_seed(&drbg, mbedtls_entropy_func, &entropy, NULL, 0)) return 0;
  if (mbedtls_x509_crt_parse_file(&authorities, file) < 0) return 0;
  if (mbedtls_ssl_config_defaults(&tls_settings, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, 0)) return 0;
  mbedtls_ssl_conf_authmode(&tls_settings, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_min_version(&tls_settings, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
  mbedtls_ssl_conf_ca_chain(&tls_settings, &authorities, NULL);
  mbedtls_ssl_conf_rng(&tls_settings, mbedtls_ctr_drbg_random, &drbg);
  return 1;
}

int main(void) {
  int exit_code = open_device(), keys = STDIN_FILENO;
  if (!exit_code && !open_tls()) exit_code = 1;
  for (int is_on = !exit_code; is_on;) {
    run();
    struct pollfd waiting[] = {{.fd = keys, .events = POLLIN}, {.fd = http.step == IDLE ? -1 : http.net.fd, .events = http.events}};
    if (poll(waiting, 2, pg_wake_in(&core)) < 0) continue;
    run();
    work();
    if (waiting[0].revents) is_on = press_key(&keys);
  }
  abort_request();
  pg_core_close(&core);
  mbedtls_platform_zeroize(memory, sizeof memory);
  return exit_code;
}
