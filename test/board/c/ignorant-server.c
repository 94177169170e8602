/*
 * A TLS server that does not know max_fragment_length, as many public ones do not: BearSSL's, which is made to
 * forget that the client asked. The board's connection is on standard input and output; what it carries goes to a
 * port of 127.0.0.1 in clear text.
 *
 *   ignorant-server PORT KEY CERTIFICATE...      PKCS#1 and X.509, all in DER
 */
#include <arpa/inet.h>
#include <bearssl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FILE_MAX = 8192, CHAIN_MAX = 4, LONGEST_RECORD = 16384 };

static const br_ssl_server_policy_class *original;

/* Called between the client's hello and the server's. */
static int choose(const br_ssl_server_policy_class **context, const br_ssl_server_context *server,
                  br_ssl_server_choices *choices) {
  br_ssl_engine_context *engine = (br_ssl_engine_context *)(uintptr_t)&server->eng;
  engine->peer_log_max_frag_len = 0;
  engine->max_frag_len = LONGEST_RECORD;
  /* The record that is being filled has been cut down already. */
  size_t end = engine->oxa + LONGEST_RECORD;
  engine->hlen_out += end - engine->oxb;
  engine->oxb = end;
  return original->choose(context, server, choices);
}

static unsigned char *read_file(const char *path, size_t *size) {
  unsigned char *bytes = malloc(FILE_MAX);
  FILE *file = fopen(path, "rb");
  if (!bytes || !file) exit(2);
  *size = fread(bytes, 1, FILE_MAX, file);
  fclose(file);
  return bytes;
}

static int connect_to(const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  int server = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_port = htons((uint16_t)atoi(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
  return server;
}

/* What comes from the service is gathered: a record is sent where it is full, or nothing more comes at once. */
static int has_more(int service) {
  struct pollfd side = {service, POLLIN, 0};
  return poll(&side, 1, 50) > 0;
}

/* Moves what can be moved between the three: the board, the engine, the service. 0: it is over. */
static int work(br_ssl_engine_context *engine, int service, int *service_open) {
  unsigned state = br_ssl_engine_current_state(engine);
  struct pollfd sides[2] = {{-1, POLLIN, 0}, {-1, POLLIN, 0}};
  unsigned char *bytes;
  size_t room;
  ssize_t size;
  if (state & BR_SSL_CLOSED) return 0;
  if (state & BR_SSL_SENDREC) {
    bytes = br_ssl_engine_sendrec_buf(engine, &room);
    size = write(STDOUT_FILENO, bytes, room);
    if (size <= 0) return 0;
    br_ssl_engine_sendrec_ack(engine, (size_t)size);
    return 1;
  }
  if (state & BR_SSL_RECVAPP) {
    bytes = br_ssl_engine_recvapp_buf(engine, &room);
    size = write(service, bytes, room);
    if (size <= 0) return 0;
    br_ssl_engine_recvapp_ack(engine, (size_t)size);
    return 1;
  }
  if (state & BR_SSL_RECVREC) sides[0].fd = STDIN_FILENO;
  if ((state & BR_SSL_SENDAPP) && *service_open) sides[1].fd = service;
  if (poll(sides, 2, 30000) <= 0) return 0;
  if (sides[1].revents) {
    bytes = br_ssl_engine_sendapp_buf(engine, &room);
    size = read(service, bytes, room);
    if (size > 0) {
      br_ssl_engine_sendapp_ack(engine, (size_t)size);
      if ((size_t)size < room && !has_more(service)) br_ssl_engine_flush(engine, 0);
    } else {
      *service_open = 0;
      br_ssl_engine_close(engine);
    }
  }
  if (sides[0].revents) {
    bytes = br_ssl_engine_recvrec_buf(engine, &room);
    size = read(STDIN_FILENO, bytes, room);
    if (size <= 0) return 0;
    br_ssl_engine_recvrec_ack(engine, (size_t)size);
  }
  return 1;
}

int main(int count, char **arguments) {
  static unsigned char buffer[BR_SSL_BUFSIZE_BIDI];
  static br_ssl_server_context server;
  static br_skey_decoder_context key;
  br_ssl_server_policy_class policy;
  br_x509_certificate chain[CHAIN_MAX];
  unsigned char seed[32];
  size_t size;
  size_t length = 0;
  int service_open = 1;
  if (count < 4 || count - 3 > CHAIN_MAX) return 2;
  unsigned char *key_bytes = read_file(arguments[2], &size);
  br_skey_decoder_init(&key);
  br_skey_decoder_push(&key, key_bytes, size);
  const br_rsa_private_key *rsa = br_skey_decoder_get_rsa(&key);
  if (!rsa) return 2;
  for (int i = 3; i < count; i++, length++) {
    chain[length].data = read_file(arguments[i], &chain[length].data_len);
  }
  br_ssl_server_init_full_rsa(&server, chain, length, rsa);
  original = *server.policy_vtable;
  policy = *original;
  policy.choose = choose;
  server.chain_handler.single_rsa.vtable = &policy;
  if (getrandom(seed, sizeof seed, 0) != (ssize_t)sizeof seed) return 2;
  br_ssl_engine_inject_entropy(&server.eng, seed, sizeof seed);
  br_ssl_engine_set_buffer(&server.eng, buffer, sizeof buffer, 1);
  br_ssl_server_reset(&server);
  int service = connect_to(arguments[1]);
  while (work(&server.eng, service, &service_open)) continue;
  return 0;
}
