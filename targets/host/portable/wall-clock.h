/*
 * The time of day, for a port whose machine has none to trust: no clock with a battery, or one whose battery may be
 * flat. A certificate cannot be judged without it, and it cannot be had without a certificate. So there are three kinds:
 *
 *   sure     a clock that went on, or the `Date` of an answer inside TLS whose certificate held at that very time
 *   hinted   what a time server says, which nobody has authenticated: good for one connection, and never kept
 *   guessed  the earliest time at which the server's certificate can be seen: its notBefore, or what is kept
 *
 * On a connection whose time is guessed nothing goes out but a question for the server's `Date` (http.h). What is kept
 * came out of TLS, from the authorization server alone. The latest answer wins, earlier or later than the one before,
 * down to `earliest_s`: the firmware's build, the maker's page, and the newest notBefore of a certificate that has
 * been seen at its time. That one a certificate authority has said; so no wrong answer can move it too far.
 */
#ifndef PICOGRANT_WALL_CLOCK_H
#define PICOGRANT_WALL_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since 1970, as all times here. */
struct pg_wall_stored {
  uint32_t earliest_s; /* it is later than that, whatever anybody says */
  uint32_t last_s;     /* what a server said last: a certificate that had run out by then counts no more */
};

/* Begins as zeros, but for `kept` as it was kept, and the function. All of one program's devices may share one. */
struct pg_wall_clock {
  struct pg_wall_stored stored;
  /*
   * Keeps it for good, and sets the machine's clock, where it has one, to `wall_s`. Called once a day, and where the time
   * was not known or another; in an hour once at the most. What fails is for the next call.
   */
  void (*keep)(const struct pg_wall_stored *stored, uint32_t wall_s);
  /* The rest is wall-clock.c's. */
  uint32_t wall_s; /* at `at_ms`; 0: unknown */
  uint32_t at_ms;
  uint32_t hint_s; /* at `at_ms`; 0: none */
  uint32_t stored_ms;
  uint32_t from_s; /* of the certificate of the connection under way */
  uint32_t until_s;
  uint8_t is_sure; /* for reading: while it is not, a time server may be asked */
  uint8_t has_stored; /* since the start */
  uint8_t holds;    /* the certificate does, at a time that is no guess */
};

/* It cannot be earlier than that: when the firmware was built, when the page was made. */
void pg_wall_clock_earliest(struct pg_wall_clock *clock, uint32_t wall_s);

/* What a clock with a battery shows: sure, unless it is before what is kept. 1, or 0: it has lost the time. */
int pg_wall_clock_set(struct pg_wall_clock *clock, uint32_t wall_s);

void pg_wall_clock_hint(struct pg_wall_clock *clock, uint32_t wall_s);

/* The time, sure or hinted; 0: unknown. To be called once in 49 days at least: pg_clock_ms wraps. */
uint32_t pg_wall_clock_now(struct pg_wall_clock *clock);

void pg_wall_clock_begin(struct pg_wall_clock *clock);

/*
 * For the port's TLS: when to judge a certificate that is good from `from_s` until `until_s`, both included. Where only
 * the first is known, `until_s` is UINT32_MAX, and it is asked again with both. Chain, name and signatures are
 * TLS's affair; where they are not good, neither is the connection.
 */
uint32_t pg_wall_clock_judge(struct pg_wall_clock *clock, uint32_t from_s, uint32_t until_s);

/* Whether the certificate of the open connection held at a time that is no guess. If not, the time is not sure any more. */
int pg_wall_clock_holds(struct pg_wall_clock *clock);

/*
 * The Date of an answer on a connection over TLS; 0: it had none.
 * @param is_stored 1: of the authorization server. Of any other server it counts until the next start,
 *   and may not be before the last that was kept
 * @return PG_REASON_NONE: the time is sure. PG_REASON_OUT_OF_DATE: the server says itself that its certificate has run
 *   out. PG_REASON_CLOCK_WRONG: that cannot be
 */
int pg_wall_clock_date(struct pg_wall_clock *clock, int64_t date_s, int is_stored);

#ifdef __cplusplus
}
#endif

#endif
