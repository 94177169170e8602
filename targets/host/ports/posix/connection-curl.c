/* A connection with libcurl, which only connects and runs TLS; http.c implements HTTP. Each connection has a new
 * handle, because libcurl before 8.1 keeps a pointer to freed memory in a reused handle. All handles of a network are
 * in one multi handle, which reports how each attempt to connect has ended. */
#define _GNU_SOURCE /* for RTLD_DEFAULT */
#include "posix.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "picogrant-numbers.h"
#include "picogrant-port.h"

/* libcurl does not provide some information about TLS. So this file looks up functions of OpenSSL, or of a compatible
 * library, in the running program. The build does not need that library's headers. Values of openssl/ssl.h and
 * openssl/x509v3.h: */
enum { RECEIVED_SHUTDOWN = 2, NO_PARTIAL_WILDCARDS = 4, NEVER_CHECK_SUBJECT = 0x20 };

/* Looks up a function of the library; NULL if it is missing. memcpy, because ISO C cannot convert `void *` to its
 * type. */
#define LOOK_UP(function, name)                          \
  do {                                                   \
    void *found = dlsym(RTLD_DEFAULT, name);             \
    memcpy(&(function), &found, sizeof found);           \
  } while (0)

/* Whether the server has ended the connection properly, over TLS with a close_notify (RFC 8446 section 6.1). Without a
 * close_notify, an attacker may have cut the response. Returns 0 if the library does not report this. */
static int tls_ended(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  int (*get_shutdown)(const void *) = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return 1;
  if (session->backend == CURLSSLBACKEND_NONE || !session->internals) return 1;
  if (session->backend != CURLSSLBACKEND_OPENSSL) return 0;
  LOOK_UP(get_shutdown, "SSL_get_shutdown");
  return get_shutdown && (get_shutdown(session->internals) & RECEIVED_SHUTDOWN);
}

/* The TLS library calls this when the server requests a client certificate. The result 0 means that there is none. The
 * handshake then continues. */
static int note_certificate_request(void *ssl, void **certificate, void **key) {
  void *(*context_of)(void *) = NULL;
  void *(*data_of)(void *, int) = NULL;
  (void)certificate;
  (void)key;
  LOOK_UP(context_of, "SSL_get_SSL_CTX");
  LOOK_UP(data_of, "SSL_CTX_get_ex_data");
  struct pg_connection *connection = data_of(context_of(ssl), 0);
  connection->is_certificate_required = 1;
  return 0;
}

/* Records whether the server has requested a client certificate. The failure itself does not show this: TLS 1.2 ends
 * with an alert that may have other causes, and TLS 1.3 ends only after the handshake. */
static void watch_certificate_requests(void *context, struct pg_connection *connection) {
  int (*set_data)(void *, int, void *) = NULL;
  void (*set_callback)(void *, int (*)(void *, void **, void **)) = NULL;
  void *context_of = dlsym(RTLD_DEFAULT, "SSL_get_SSL_CTX");
  void *data_of = dlsym(RTLD_DEFAULT, "SSL_CTX_get_ex_data");
  LOOK_UP(set_data, "SSL_CTX_set_ex_data");
  LOOK_UP(set_callback, "SSL_CTX_set_client_cert_cb");
  if (!set_data || !set_callback || !context_of || !data_of) return;
  if (set_data(context, 0, connection)) set_callback(context, note_certificate_request);
}

/* libcurl calls this before each connection. `context` is OpenSSL's SSL_CTX. */
static CURLcode set_up_tls(CURL *easy, void *context, void *data) {
  void *(*parameters_of)(void *) = NULL;
  int (*set_host)(void *, const char *, size_t) = NULL;
  void (*set_flags)(void *, unsigned) = NULL;
  unsigned char address[sizeof(struct in6_addr)];
  struct pg_connection *connection = data;
  const char *host = connection->name;
  (void)easy;
  watch_certificate_requests(context, connection);
  LOOK_UP(parameters_of, "SSL_CTX_get0_param");
  LOOK_UP(set_host, "X509_VERIFY_PARAM_set1_host");
  LOOK_UP(set_flags, "X509_VERIFY_PARAM_set_hostflags");
  if (!parameters_of || !set_host || !set_flags) return CURLE_OK;
  /* libcurl itself checks IP addresses. The rules for common names and wildcards do not apply to them. */
  if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1) return CURLE_OK;
  void *parameters = parameters_of(context);
  set_flags(parameters, NO_PARTIAL_WILDCARDS | NEVER_CHECK_SUBJECT);
  return set_host(parameters, host, 0) ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

/* Makes the TLS library check the server's name by RFC 9525, in addition to libcurl's check: the common name never
 * matches, and a wildcard never matches a part of a label. Has no effect if the library does not support this. */
static void check_name(struct pg_connection *connection) {
  /* libcurl refuses this option with some TLS libraries, such as GnuTLS. */
  if (curl_easy_setopt(connection->easy, CURLOPT_SSL_CTX_FUNCTION, set_up_tls) != CURLE_OK) return;
  (void)curl_easy_setopt(connection->easy, CURLOPT_SSL_CTX_DATA, connection);
}

#if LIBCURL_VERSION_NUM < 0x075500
#error "libcurl 7.85 or later is needed"
#endif

enum { URL_BYTES = PG_NETWORK_NAME };

const char *pg_network_open(struct pg_network *network) {
  *network = (struct pg_network){.multi = NULL};
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "libcurl does not start";
  network->multi = curl_multi_init();
  network->share = curl_share_init();
  if (!network->multi || !network->share) return "libcurl has no memory";
  /* If libcurl cannot store TLS sessions, each connection makes a full handshake. */
  (void)curl_share_setopt(network->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  return NULL;
}

void pg_network_close(struct pg_network *network) {
  for (int i = 0; i < network->count; i++) pg_connection_end(network->connections[i]);
  curl_multi_cleanup(network->multi);
  curl_share_cleanup(network->share);
  *network = (struct pg_network){.multi = NULL};
  curl_global_cleanup();
}

int pg_connection_open(struct pg_network *network, struct pg_connection *connection) {
  if (network->count == PG_NETWORK_MAX) return 0;
  connection->network = network;
  connection->easy = NULL;
  connection->state = PG_CONNECTION_FAILED;
  connection->reason = PG_REASON_NONE;
  network->connections[network->count++] = connection;
  return 1;
}

void pg_connection_end(struct pg_connection *connection) {
  if (!connection->easy) return;
  curl_multi_remove_handle(connection->network->multi, connection->easy);
  curl_easy_cleanup(connection->easy);
  connection->easy = NULL;
  connection->state = PG_CONNECTION_FAILED;
  pg_wipe(connection->out, sizeof connection->out);
  pg_wipe(connection->in, sizeof connection->in);
}

static int make_url(const struct pg_peer *peer, char url[URL_BYTES]) {
  int is_v6 = memchr(peer->host, ':', peer->host_size) != NULL;
  int length = snprintf(url, URL_BYTES, "%s://%s%.*s%s:%d/", peer->is_secure ? "https" : "http",
                        is_v6 ? "[" : "", (int)peer->host_size, peer->host, is_v6 ? "]" : "",
                        (int)peer->port);
  return length > 0 && length < URL_BYTES;
}

static int set_trust(CURL *easy, const struct pg_trust *trust) {
  struct curl_blob pem = {(void *)(uintptr_t)trust->pem, trust->pem_size, CURL_BLOB_NOCOPY};
  return curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &pem) == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
}

static int set_options(struct pg_connection *connection, const struct pg_peer *peer,
                       const struct pg_trust *trust) {
  CURL *easy = connection->easy;
  char url[URL_BYTES];
  int ok = make_url(peer, url) && curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PRIVATE, connection) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SHARE, connection->network->share) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
  /* https may use the environment's proxy, which cannot read it. http goes only to this device, and uses no proxy. */
  if (peer->is_secure) curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
  else ok = ok && curl_easy_setopt(easy, CURLOPT_NOPROXY, "*") == CURLE_OK;
  snprintf(connection->name, sizeof connection->name, "%.*s", (int)peer->host_size, peer->host);
  if (peer->is_secure) check_name(connection);
  return ok && (!trust || set_trust(easy, trust));
}

int pg_connection_start(struct pg_connection *connection, const struct pg_peer *peer,
                        const void *trust) {
  pg_connection_end(connection);
  connection->easy = curl_easy_init();
  if (!connection->easy) return 0;
  connection->state = PG_CONNECTION_OPENING;
  connection->filled = connection->sent = 0;
  connection->is_blocked = connection->is_certificate_required = 0;
  connection->reason = PG_REASON_NONE;
  if (set_options(connection, peer, trust) &&
      curl_multi_add_handle(connection->network->multi, connection->easy) == CURLM_OK) {
    return 1;
  }
  pg_connection_end(connection);
  return 0;
}

/* If OpenSSL has checked the name (check_name), its result names the problem (X509_V_ERR_*). If only libcurl checks
 * names, OpenSSL's result is 0 or 1 for a wrong name, depending on libcurl's version. */
static int reason_of_certificate(CURL *easy) {
  enum { NONE = 0, UNSPECIFIED = 1, NOT_YET_VALID = 9, EXPIRED = 10, OTHER_NAME = 62 };
  long verdict = NONE;
  (void)curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verdict);
  switch (verdict) {
    case NONE:
    case UNSPECIFIED:
    case OTHER_NAME:
      return PG_REASON_OTHER_NAME;
    case NOT_YET_VALID:
      return PG_REASON_CLOCK_WRONG;
    case EXPIRED:
      return PG_REASON_OUT_OF_DATE;
    default:
      return PG_REASON_UNKNOWN_AUTHORITY;
  }
}

static int reason_of(const struct pg_connection *connection, CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return PG_REASON_NAME_NOT_FOUND;
    case CURLE_COULDNT_CONNECT:
      return PG_REASON_UNAVAILABLE;
    case CURLE_PEER_FAILED_VERIFICATION:
      return reason_of_certificate(connection->easy);
    case CURLE_SSL_CACERT_BADFILE:
      return PG_REASON_SETTINGS_BROKEN;
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_CONNECT_ERROR:
      return connection->is_certificate_required ? PG_REASON_CLIENT_CERTIFICATE : PG_REASON_TLS_TOO_OLD;
    default:
      return PG_REASON_SERVER_SILENT;
  }
}

int pg_connection_reason(struct pg_connection *connection) { return connection->reason; }

/* Records how an attempt to connect has ended. The message may be for another connection of the network. */
static void take_curl_message(const CURLMsg *message) {
  char *found = NULL;
  if (message->msg != CURLMSG_DONE) return;
  if (curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &found) != CURLE_OK) return;
  struct pg_connection *connection = (void *)found;
  CURLcode code = message->data.result;
  connection->state = code == CURLE_OK ? PG_CONNECTION_OPEN : PG_CONNECTION_FAILED;
  if (code != CURLE_OK) connection->reason = reason_of(connection, code);
}

enum pg_connection_state pg_connection_work(struct pg_connection *connection) {
  CURLM *multi = connection->network->multi;
  int running = 0;
  int left = 0;
  CURLMsg *message;
  if (connection->state != PG_CONNECTION_OPENING) return connection->state;
  if (curl_multi_perform(multi, &running) != CURLM_OK) connection->state = PG_CONNECTION_FAILED;
  while ((message = curl_multi_info_read(multi, &left))) take_curl_message(message);
  return connection->state;
}

int pg_connection_send(struct pg_connection *connection, const uint8_t *bytes, size_t size) {
  size_t capacity = sizeof connection->out - connection->filled;
  if (capacity == 0) {
    int flushed = pg_connection_flush(connection);
    if (flushed <= 0) return flushed;
    capacity = sizeof connection->out;
  }
  if (size > capacity) size = capacity;
  memcpy(connection->out + connection->filled, bytes, size);
  connection->filled += size;
  return (int)size;
}

static int broken(struct pg_connection *connection, int result) {
  if (connection->is_certificate_required) connection->reason = PG_REASON_CLIENT_CERTIFICATE;
  return result;
}

int pg_connection_flush(struct pg_connection *connection) {
  connection->is_blocked = 0;
  while (connection->sent < connection->filled) {
    size_t done = 0;
    CURLcode code = curl_easy_send(connection->easy, connection->out + connection->sent,
                                   connection->filled - connection->sent, &done);
    connection->sent += done;
    if (code == CURLE_OK && done > 0) continue;
    connection->is_blocked = code == CURLE_OK || code == CURLE_AGAIN;
    return connection->is_blocked ? 0 : broken(connection, -1);
  }
  pg_wipe(connection->out, connection->filled);
  connection->filled = connection->sent = 0;
  return 1;
}

int pg_connection_receive(struct pg_connection *connection, const uint8_t **bytes) {
  size_t size = 0;
  pg_wipe(connection->in, sizeof connection->in);
  CURLcode code = curl_easy_recv(connection->easy, connection->in, sizeof connection->in, &size);
  *bytes = connection->in;
  if (code == CURLE_AGAIN) return PG_CONNECTION_NOTHING;
  if (code != CURLE_OK) return broken(connection, PG_CONNECTION_BROKEN);
  connection->is_certificate_required = 0;
  if (size > 0) return (int)size;
  return tls_ended(connection->easy) ? PG_CONNECTION_ENDED : PG_CONNECTION_BROKEN;
}

/* Adds the socket of an open connection to those that wake the loop. While a connection opens, libcurl does this. */
static int add_socket(const struct pg_connection *connection, struct curl_waitfd *required) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (!connection->easy || connection->state != PG_CONNECTION_OPEN) return 0;
  if (curl_easy_getinfo(connection->easy, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK ||
      socket == CURL_SOCKET_BAD) {
    return 0;
  }
  int events = CURL_WAIT_POLLIN | (connection->is_blocked ? CURL_WAIT_POLLOUT : 0);
  *required = (struct curl_waitfd){socket, (short)events, 0};
  return 1;
}

void pg_wait(struct pg_network *network, int timeout_ms, struct pg_waiting *waiting, int count) {
  struct curl_waitfd required[PG_WAIT_MAX + PG_NETWORK_MAX];
  int places[PG_WAIT_MAX];
  int used = 0;
  for (int i = 0; i < network->count; i++) {
    used += add_socket(network->connections[i], required + used);
  }
  for (int i = 0; i < count && i < PG_WAIT_MAX; i++) {
    waiting[i].is_ready = 0;
    places[i] = -1;
    if (waiting[i].descriptor < 0) continue;
    places[i] = used;
    required[used++] = (struct curl_waitfd){waiting[i].descriptor, CURL_WAIT_POLLIN, 0};
  }
  if (curl_multi_poll(network->multi, required, (unsigned)used, timeout_ms, NULL) != CURLM_OK) return;
  for (int i = 0; i < count && i < PG_WAIT_MAX; i++) {
    waiting[i].is_ready = places[i] >= 0 && required[places[i]].revents != 0;
  }
}
