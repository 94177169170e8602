/*
 * Tries the four files of a port one by one, and says of each in a line what it does wrong. On the desktop:
 *
 *   npm run host -- --port my-port --check
 *
 * On the board: build and flash it in the place of main.c. The lines come out of port_log: `ok ...` and `not ok ...`,
 * at the end `# all passed` or how many failed. It empties both record slots. Whether a display shows what it should
 * only a person sees, and whether TLS checks certificates only a server with bad ones: neither is tried here.
 */
#include <string.h>

#include "address.h"
#include "clock.h"
#include "connection.h"
#include "display.h"
#include "port.h"
#include "storage.h"
#include "units.h"

/* A server that answers HTTP, and an address at which nothing listens. */
#ifndef CHECK_SERVER
#define CHECK_SERVER "http://127.0.0.1:8080/"
#endif
#ifndef CHECK_NOBODY
#define CHECK_NOBODY "http://127.0.0.1:9/"
#endif

enum {
  PIECE = PG_MEDIUM_UNIT_MAX,
  COLUMNS = 16,
  ROWS = 2,
  ANSWER_MS = 10000,
  /* No call of the connection waits; a slow one may have been interrupted. */
  CALL_MS = 250,
};

static int failures;

static void check(int is_right, const char *right, const char *wrong) {
  if (!is_right) failures++;
  port_log(is_right ? right : wrong);
}

/* Whether so much time has passed, by the port's own clock. */
static int is_over(uint32_t start, uint32_t ms) { return pg_clock_ms() - start >= ms; }

/* 1 where the clock can be waited with: everything else does. */
static int check_clock(void) {
  uint32_t start = pg_clock_ms();
  uint32_t last = start;
  int goes_back = 0;
  /* port_wait may come back at once: a counter that goes on does so without it, too. */
  for (long i = 0; i < 5000000 && !is_over(start, 100); i++) {
    uint32_t now = pg_clock_ms();
    /* The half that is behind: a wrap at 2^32 is no step back. */
    if (now - last > 0x7fffffffu) goes_back = 1;
    last = now;
    if (i < 100) port_wait(1);
  }
  int goes_on = last != start;
  check(goes_on, "ok clock: it goes on", "not ok clock: pg_clock_ms stands still");
  check(!goes_back, "ok clock: it never goes back", "not ok clock: pg_clock_ms went back");
  if (!goes_on) return 0;
  start = pg_clock_ms();
  port_wait(100);
  check(!is_over(start, 1000), "ok clock: port_wait comes back in time",
        "not ok clock: port_wait(100) took a second or more");
  uint32_t wall = pg_clock_wall_s();
  check(wall == 0 || wall > 1577836800u, "ok clock: the date is 0 or after 2020",
        "not ok clock: pg_clock_wall_s is before 2020; 0 says that the date is not known");
  return 1;
}

static void check_random(void) {
  uint8_t one[PIECE];
  uint8_t other[PIECE];
  memset(one, 0, sizeof one);
  memset(other, 0, sizeof other);
  int is_there = pg_random(one, PIECE - 8) && pg_random(other, PIECE - 8);
  check(is_there, "ok random: there is a source", "not ok random: pg_random says that there is no source");
  if (!is_there) return;
  check(memcmp(one, other, PIECE - 8) != 0, "ok random: two fills differ",
        "not ok random: two fills are alike: that is no random source");
  int changed = 0;
  for (int i = 0; i < PIECE - 8; i++) changed += one[i] != 0;
  check(changed > PIECE / 2, "ok random: the whole range is filled", "not ok random: most bytes stayed 0");
  int beyond = 0;
  for (int i = PIECE - 8; i < PIECE; i++) beyond |= one[i];
  check(!beyond, "ok random: nothing beyond the range is written", "not ok random: bytes behind the range changed");
}

/* The first example of FIPS 180-4: "abc". A port may have none: then it uses no server that wants code challenges. */
static void check_digest(void) {
  static const uint8_t right[PG_SHA256_BYTES] = {
      0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
      0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  uint8_t digest[PG_SHA256_BYTES];
  int is_there = pg_sha256((const uint8_t *)"abc", 3, digest);
  check(!is_there || memcmp(digest, right, sizeof right) == 0,
        is_there ? "ok digest: it is SHA-256" : "ok digest: there is none, for servers that want no code challenge",
        "not ok digest: pg_sha256 of abc is not what FIPS 180-4 says");
}

static uint8_t pattern(uint32_t at) { return (uint8_t)(at * 7u + (at >> 8)); }

/* Whether bytes [from, to) of a slot are erased, or hold the pattern. */
static int holds(int slot, uint32_t from, uint32_t to, int is_erased) {
  uint8_t piece[PIECE];
  while (from < to) {
    size_t size = to - from < PIECE ? to - from : PIECE;
    memset(piece, 1, sizeof piece);
    if (pg_medium_read(&port_medium, slot, from, piece, size) != PG_MEDIUM_DONE) return 0;
    for (size_t i = 0; i < size; i++) {
      if (piece[i] != (is_erased ? 0xff : pattern(from + (uint32_t)i))) return 0;
    }
    from += (uint32_t)size;
  }
  return 1;
}

/* In pieces of one unit and of several, as records and their headers come. */
static int program(int slot, uint32_t from, uint32_t to) {
  uint8_t piece[PIECE];
  uint32_t unit = port_medium.program_unit ? port_medium.program_unit : 1;
  for (uint32_t size = unit; from < to; size = size % PIECE + unit) {
    if (size > to - from) size = to - from;
    for (uint32_t i = 0; i < size; i++) piece[i] = pattern(from + i);
    if (port_medium.program(port_medium.context, slot, from, piece, size) != PG_MEDIUM_DONE) return 0;
    from += size;
  }
  return 1;
}

static int erased(int slot) {
  return port_medium.erase(port_medium.context, slot) == PG_MEDIUM_DONE;
}

static void check_medium(void) {
  uint32_t end = port_medium.slot_bytes;
  uint32_t head = pg_storage_header(&port_medium);
  check(pg_medium_is_usable(&port_medium), "ok medium: its units are powers of two up to 256",
        "not ok medium: its units are no powers of two up to 256, or its slots no whole number of them");
  if (!pg_medium_is_usable(&port_medium)) return;
  check(pg_storage_room(&port_medium) > 0, "ok medium: slots have room for a record",
        "not ok medium: slot_bytes leaves no room behind the header");
  if (pg_storage_room(&port_medium) == 0) return;
  int erases = erased(0) && erased(1);
  check(erases, "ok medium: slots can be erased", "not ok medium: erase says that it could not");
  if (!erases) return;
  check(holds(0, 0, end, 1) && holds(1, 0, end, 1), "ok medium: an erased slot reads 0xff to its last byte",
        "not ok medium: an erased slot does not read 0xff everywhere");
  /* The header goes last. */
  int programs = program(0, head, end);
  check(programs && holds(0, head, end, 0), "ok medium: what is programmed reads back",
        "not ok medium: what was programmed, in pieces of one unit to 256 bytes, does not read back");
  check(holds(0, 0, head, 1), "ok medium: programming leaves the bytes before it alone",
        "not ok medium: bytes before the programmed range changed");
  programs = program(0, 0, head);
  check(programs && holds(0, 0, end, 0), "ok medium: the header can be programmed afterwards",
        "not ok medium: programming the header last harms what stands behind it");
  check(holds(1, 0, end, 1), "ok medium: the other slot is left alone",
        "not ok medium: programming slot 0 changed slot 1");
  check(program(1, 0, end) && erased(0) && holds(1, 0, end, 0), "ok medium: erasing leaves the other slot alone",
        "not ok medium: erasing slot 0 changed slot 1");
  check(erased(1) && holds(1, 0, end, 1), "ok medium: a full slot can be erased again",
        "not ok medium: a slot that was programmed does not become 0xff again");
}

static void check_display(void) {
  static const char frame[] = "picogrant check !\"#$%&'()*+,-./0";
  pg_display_show((const uint8_t *)frame, COLUMNS, ROWS);
  port_log("# display: look whether it shows `picogrant check ` above `!\"#$%&'()*+,-./0`");
}

/* The longest that one call took. */
static uint32_t longest_call;

static void note_call(uint32_t start) {
  uint32_t took = pg_clock_ms() - start;
  if (took > longest_call) longest_call = took;
}

/* Connects as far as it goes: OPEN, FAILED, or OPENING where the time is over. */
static enum pg_connection_state connect_to(const char *text, struct pg_address *address) {
  if (!pg_address_split(text, address)) return PG_CONNECTION_FAILED;
  uint32_t start = pg_clock_ms();
  int begun = pg_connection_start(&address->peer, NULL);
  note_call(start);
  if (!begun) return PG_CONNECTION_FAILED;
  enum pg_connection_state state = PG_CONNECTION_OPENING;
  while (state == PG_CONNECTION_OPENING && !is_over(start, ANSWER_MS)) {
    uint32_t call = pg_clock_ms();
    state = pg_connection_work();
    note_call(call);
    if (state == PG_CONNECTION_OPENING) port_wait(10);
  }
  return state;
}

/* 1: all is on its way. */
static int send_all(const char *text, size_t size) {
  uint32_t start = pg_clock_ms();
  while (size > 0 && !is_over(start, ANSWER_MS)) {
    int taken = pg_connection_send((const uint8_t *)text, size);
    if (taken < 0) return 0;
    text += taken;
    size -= (size_t)taken;
    if (taken == 0) port_wait(10);
  }
  int flushed = 0;
  while (size == 0 && flushed == 0 && !is_over(start, ANSWER_MS)) {
    flushed = pg_connection_flush();
    if (flushed == 0) port_wait(10);
  }
  return flushed == 1;
}

static int ask(const struct pg_address *address) {
  static const char head[] = "GET /picogrant-check HTTP/1.1\r\nConnection: close\r\nHost: ";
  return send_all(head, sizeof head - 1) && send_all(address->authority, address->authority_size) &&
         send_all("\r\n\r\n", 4);
}

/* What the connection says in the end; the first bytes of the answer go to `into`. */
static int read_answer(char *into, size_t size) {
  uint32_t start = pg_clock_ms();
  int came = PG_CONNECTION_NOTHING;
  while (came >= 0 && !is_over(start, ANSWER_MS)) {
    const uint8_t *bytes = NULL;
    uint32_t call = pg_clock_ms();
    came = pg_connection_receive(&bytes);
    note_call(call);
    for (int i = 0; i < came && size > 0; i++, size--) *into++ = (char)bytes[i];
    if (came == PG_CONNECTION_NOTHING) port_wait(10);
  }
  return came;
}

static void check_exchange(const char *opens, const char *fails) {
  struct pg_address address;
  char answer[7] = "";
  enum pg_connection_state state = connect_to(CHECK_SERVER, &address);
  check(state == PG_CONNECTION_OPEN, opens, fails);
  if (state == PG_CONNECTION_OPEN) {
    check(ask(&address), "ok connection: a request goes out",
          "not ok connection: send and flush do not get a request of some 90 bytes out in 10 s");
    int end = read_answer(answer, sizeof answer);
    check(memcmp(answer, "HTTP/1.", sizeof answer) == 0, "ok connection: the answer comes in",
          "not ok connection: what was received is no answer of HTTP");
    check(end == PG_CONNECTION_ENDED, "ok connection: its end is ENDED",
          "not ok connection: the server closed in order, and receive did not say ENDED");
  }
  pg_connection_end();
}

static void check_connection(void) {
  struct pg_address address;
  pg_connection_end();
  port_log("ok connection: ending none is harmless");
  check_exchange("ok connection: it opens", "not ok connection: none to " CHECK_SERVER
                 "; does a server listen there? (CHECK_SERVER names another)");
  check_exchange("ok connection: a second one opens after the first",
                 "not ok connection: a second one does not open after pg_connection_end");
  enum pg_connection_state state = connect_to(CHECK_NOBODY, &address);
  pg_connection_end();
  check(state == PG_CONNECTION_FAILED, "ok connection: where nobody listens it fails",
        "not ok connection: where nobody listens, work does not say FAILED within 10 s");
  check(longest_call < CALL_MS, "ok connection: no call waits",
        "not ok connection: a call took 250 ms or more; the device stands still as long");
}

int main(void) {
  port_open();
  if (check_clock()) {
    check_random();
    check_digest();
    check_medium();
    check_display();
    check_connection();
  }
  port_log(failures ? "# failed: see the lines that begin with not ok" : "# all passed");
  return failures ? 1 : 0;
}
