/* Tests the files of a port other than main.c. On the desktop, run `npm run host -- --port my-port --check`. On the board, build
 * check.c with check-connection.c and the address of the check's server, and flash it in place of main.c. Start it
 * twice, because some faults are only visible at the second start. port_log gets a line for each result: `ok ...` or
 * `not ok ...`, and at the end a line that starts with `# all passed` or `# failed`. The content of both record slots is lost.
 * targets/docs/firmware-in-c.md describes what no program on the board can test. */
#include <string.h>

#include "check.h"
#include "picogrant-port.h"
#include "port.h"
#include "storage.h"

enum {
  PIECE = PG_MEDIUM_UNIT_MAX,
  COLUMNS = 16,
  ROWS = 2,
  /* The number of random bytes that each start stores in slot 1 for the next start. */
  STORED = 16
};

static int failures;
int check_is_whole = 1;

void check(int is_right, const char *right, const char *wrong) {
  if (!is_right) failures++;
  port_log(is_right ? right : wrong);
}

int check_is_over(uint32_t start, uint32_t ms) { return pg_clock_ms() - start >= ms; }

/* Returns 1 if the clock can measure waits. All other tests need that. */
static int check_clock(void) {
  uint32_t start = pg_clock_ms();
  uint32_t last = start;
  int goes_back = 0;
  /* port_wait may return at once, but the counter must advance. */
  for (long i = 0; i < 5000000 && !check_is_over(start, 100); i++) {
    uint32_t now = pg_clock_ms();
    /* A step back of up to half the range is a fault. A larger one is a wrap at 2^32. */
    if (now - last > 0x7fffffffu) goes_back = 1;
    last = now;
    if (i < 100) port_wait(1);
  }
  /* Read the clock again. After a long interruption, the time may have passed before the first read. */
  int goes_on = pg_clock_ms() != start;
  check(goes_on, "ok clock: it goes on", "not ok clock: pg_clock_ms stands still");
  check(!goes_back, "ok clock: it never goes back", "not ok clock: pg_clock_ms went back");
  if (!goes_on) return 0;
  start = pg_clock_ms();
  port_wait(100);
  check(!check_is_over(start, 1000 * CHECK_SLOWNESS), "ok clock: port_wait comes back in time",
        "not ok clock: port_wait(100) took a second or more");
  uint32_t wall = pg_clock_wall_s();
  check(wall == 0 || wall > 1577836800u, "ok clock: the date is 0 or after 2020",
        "not ok clock: pg_clock_wall_s is before 2020; 0 says that the date is not known");
  return 1;
}

/* Whether each bit is set in a quarter to three quarters of the bytes, and there are at least 100 different values.
 * Random bytes practically never fail this: 248 of them have about 159 different values. */
static int is_spread(const uint8_t *bytes, int size) {
  uint8_t seen[256] = {0};
  int different = 0;
  for (int i = 0; i < size; i++) {
    different += !seen[bytes[i]];
    seen[bytes[i]] = 1;
  }
  for (int bit = 0; bit < 8; bit++) {
    int set = 0;
    for (int i = 0; i < size; i++) set += bytes[i] >> bit & 1;
    if (set < size / 4 || set > size - size / 4) return 0;
  }
  return different >= 100;
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
  check(is_spread(one, PIECE - 8), "ok random: its bits are spread", "not ok random: bits of its bytes, or whole values, "
        "hardly ever come: digits or letters are no random bytes");
  int beyond = 0;
  for (int i = PIECE - 8; i < PIECE; i++) beyond |= one[i];
  check(!beyond, "ok random: nothing beyond the range is written", "not ok random: bytes behind the range changed");
}

/* Hashes "abc", the example in FIPS 180-2 section B.1. Without SHA-256, a port has no code challenges (RFC 7636). */
static void check_digest(void) {
  static const uint8_t right[PG_SHA256_BYTES] = {
      0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
      0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  uint8_t digest[PG_SHA256_BYTES];
  int is_there = pg_sha256((const uint8_t *)"abc", 3, digest);
  check(!is_there || memcmp(digest, right, sizeof right) == 0,
        is_there ? "ok digest: it is SHA-256" : "ok digest: there is none, for servers that want no code challenge",
        "not ok digest: pg_sha256 of abc is not what FIPS 180-2 section B.1 says");
}

static uint8_t pattern(uint32_t at) { return (uint8_t)(at * 7u + (at >> 8)); }

/* Whether bytes [from, to) of a slot are erased, or contain the pattern. */
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

/* Programs one unit, and then several at once, as the storage does for records and headers. */
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
  check(pg_storage_capacity(&port_medium) > 0, "ok medium: slots have room for a record",
        "not ok medium: slot_bytes leaves no room behind the header");
  if (pg_storage_capacity(&port_medium) == 0) return;
  int erases = erased(0) && erased(1);
  check(erases, "ok medium: slots can be erased", "not ok medium: erase says that it could not");
  if (!erases) return;
  check(holds(0, 0, end, 1) && holds(1, 0, end, 1), "ok medium: an erased slot reads 0xff to its last byte",
        "not ok medium: an erased slot does not read 0xff everywhere");
  /* Program the header last, as the storage does. */
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
  pg_display_show(NULL, (const uint8_t *)frame, COLUMNS, ROWS);
  port_log("# display: look whether it shows `picogrant check ` above `!\"#$%&'()*+,-./0`");
}

/* The content of slot 1 between two starts. */
struct stored {
  char name[16];
  uint8_t random[STORED];
};
static const char stored_name[16] = "picogrant check";

/* Reads the random bytes of the last start. Returns 0 if there are none. */
static int read_stored(struct stored *stored) {
  return pg_medium_is_usable(&port_medium) &&
         pg_medium_read(&port_medium, 1, 0, (uint8_t *)stored, sizeof *stored) == PG_MEDIUM_DONE &&
         memcmp(stored->name, stored_name, sizeof stored_name) == 0;
}

/* Compares the first random bytes of this start with those of the last start. A fixed seed repeats them. leave_for_next
 * stores the new bytes. */
static void check_last_start(struct stored *first) {
  struct stored before;
  memset(first, 0, sizeof *first);
  if (!pg_random(first->random, sizeof first->random)) return;
  memcpy(first->name, stored_name, sizeof stored_name);
  if (read_stored(&before)) {
    check(memcmp(before.random, first->random, STORED) != 0, "ok random: it differs from the last start",
          "not ok random: the same bytes as at the last start: its seed is fixed");
  } else {
    port_log("# medium: nothing is there of an earlier start; if the next one says so again, no record outlives one");
  }
}

static void leave_for_next(const struct stored *first) {
  if (!pg_medium_is_usable(&port_medium) || !first->name[0]) return;
  int is_left = erased(1) && pg_medium_program(&port_medium, 1, 0, (const uint8_t *)first, sizeof *first) == PG_MEDIUM_DONE;
  check(is_left, "ok medium: the next start has something to compare",
        "not ok medium: nothing can be left for the next start");
}

int main(void) {
  struct stored first;
  port_open();
  if (check_clock()) {
    check_last_start(&first);
    check_random();
    check_digest();
    check_medium();
    check_display();
    check_connection();
    leave_for_next(&first);
  }
  port_log(failures ? "# failed: see the lines that begin with not ok"
                    : check_is_whole ? "# all passed"
                                     : "# all passed that was tried; see the lines that begin with #");
  return failures ? 1 : 0;
}
