/* The board's certificate check, compiled for this machine: tls.c, certificate.c and BearSSL. The first input line is
 * the authority in hexadecimal (DER). Each further line is a host's name and a chain, the server's certificate first:
 * `NAME CERTIFICATE...`. The output is BearSSL's error (0: accepted at a known time), or `refused` if the session does
 * not start. After a name without a chain, the server sends a record of 16 KiB; the output is the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "board.h"
#include "picogrant-port.h"
#include "tls.h"

enum { LINE = 65536, CERTIFICATE = 4096, PIECE = 7 };

uint32_t pg_clock_wall_s(void) { return (uint32_t)time(NULL); }
int pg_random(uint8_t *into, size_t size) {
  memset(into, 7, size);
  return 1;
}
struct pg_wall_clock board_clock;
uint32_t pg_clock_ms(void) { return 0; }

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static size_t decode(const char *text, uint8_t *into) {
  size_t size = strlen(text) / 2;
  if (size > CERTIFICATE) abort();
  for (size_t i = 0; i < size; i++) into[i] = (uint8_t)(digit(text[2 * i]) * 16 + digit(text[2 * i + 1]));
  return size;
}

static uint8_t name[512];
static size_t name_size;
static void take_name(void *context, const void *bytes, size_t size) {
  (void)context;
  if (size > sizeof name - name_size) abort();
  memcpy(name + name_size, bytes, size);
  name_size += size;
}

/* A function of BearSSL that starts the decryption of records. Its keys do not matter here. */
void br_ssl_engine_switch_chapol_in(br_ssl_engine_context *engine, int is_client, int prf_id);

static void take_long_record(br_ssl_engine_context *engine) {
  static const uint8_t head[] = {23, 3, 3, 0x40, 0};
  size_t size = 0;
  engine->session.version = BR_TLS12;
  br_ssl_engine_switch_chapol_in(engine, 1, br_sha256_ID);
  unsigned char *capacity = br_ssl_engine_recvrec_buf(engine, &size);
  if (!capacity || size < sizeof head) abort();
  memcpy(capacity, head, sizeof head);
  br_ssl_engine_recvrec_ack(engine, sizeof head);
  puts(tls_problem());
}

static void judge(const struct board_trust *trust, char *line) {
  static uint8_t bytes[CERTIFICATE];
  const char *why;
  const char *host = strtok(line, " \n");
  (void)pg_wall_clock_set(&board_clock, pg_clock_wall_s());
  br_ssl_engine_context *engine = tls_start(host, trust, &why);
  if (!engine) {
    puts("refused");
    return;
  }
  const char *text = strtok(NULL, " \n");
  if (!text) {
    take_long_record(engine);
    return;
  }
  const br_x509_class **check = engine->x509ctx;
  (*check)->start_chain(check, host);
  for (; text; text = strtok(NULL, " \n")) {
    size_t size = decode(text, bytes);
    (*check)->start_cert(check, (uint32_t)size);
    for (size_t at = 0; at < size; at += PIECE) {
      (*check)->append(check, bytes + at, size - at < PIECE ? size - at : PIECE);
    }
    (*check)->end_cert(check);
  }
  /* At a guessed time (wall-clock.h), the host only requests the time, so an accepted chain counts as expired. */
  unsigned error = (*check)->end_chain(check);
  printf("%u\n", error || pg_wall_clock_holds(&board_clock) ? error : BR_ERR_X509_EXPIRED);
  tls_end();
}

int main(void) {
  static char line[LINE];
  static uint8_t bytes[CERTIFICATE];
  static br_x509_decoder_context decoder;
  if (!fgets(line, sizeof line, stdin)) return 1;
  br_x509_decoder_init(&decoder, take_name, NULL);
  br_x509_decoder_push(&decoder, bytes, decode(strtok(line, "\n"), bytes));
  const br_x509_pkey *key = br_x509_decoder_get_pkey(&decoder);
  if (!key) return 1;
  const br_x509_trust_anchor anchor = {{name, name_size}, BR_X509_TA_CA, *key};
  const struct board_trust trust = {&anchor, 1};
  while (fgets(line, sizeof line, stdin)) judge(&trust, line);
  return 0;
}
