/*
 * The time of day, for a port without a reliable clock: without a battery, or with one that may be empty. A certificate
 * cannot be judged without the time, and the time cannot be obtained without a certificate. So there are three kinds:
 *
 *   sure     a running clock, or the `Date` of a response inside TLS whose certificate was valid at that time
 *   hinted   of a time server, not authenticated: for one connection, and never stored
 *   guessed  the earliest time at which the server's certificate can exist: its notBefore, or the stored time
 *
 * On a connection with a guessed time, only a question for the server's `Date` is sent (http.h). The stored time came
 * out of TLS, from the authorization server only. The latest response counts, earlier or later than the one before, but
 * not before `earliest_s`: the firmware's build, the settings page, and the newest notBefore of a certificate that was
 * valid at its time. A certificate authority vouches for that one; so no wrong response can move the time too far.
 */
#ifndef PICOGRANT_WALL_CLOCK_H
#define PICOGRANT_WALL_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since 1970, as all times here. */
struct pg_wall_stored {
  uint32_t earliest_s; /* no earlier time is accepted */
  uint32_t last_s;     /* the last time from a server: certificates that had expired by then are refused */
};

/* Starts as zeros, except the stored `kept`, and the function. All devices of a program may share one. */
struct pg_wall_clock {
  struct pg_wall_stored stored;
  /*
   * Stores it, and sets the machine's clock, if there is one, to `wall_s`. Called once a day, and when the time was
   * unknown or different; at most once an hour. A failed call is repeated later.
   */
  void (*keep)(const struct pg_wall_stored *stored, uint32_t wall_s);
  /* The rest is internal. */
  uint32_t wall_s; /* at `at_ms`; 0: unknown */
  uint32_t at_ms;
  uint32_t hint_s; /* at `at_ms`; 0: none */
  uint32_t stored_ms;
  uint32_t from_s; /* of the certificate of the connection under way */
  uint32_t until_s;
  uint8_t is_sure; /* for reading: while it is not, the host may query a time server */
  uint8_t has_stored; /* since the start */
  uint8_t holds;    /* the certificate does, at a time that is no guess */
};

/* A lower bound: when the firmware was built, when the page was made. */
void pg_wall_clock_earliest(struct pg_wall_clock *clock, uint32_t wall_s);

/*
 * Sets the time of a clock with a battery: reliable, unless it is before the stored time. 1, or 0: it has lost the
 * time.
 */
int pg_wall_clock_set(struct pg_wall_clock *clock, uint32_t wall_s);

void pg_wall_clock_hint(struct pg_wall_clock *clock, uint32_t wall_s);

/* The time, sure or hinted; 0: unknown. Call it at least once in 49 days: pg_clock_ms wraps. */
uint32_t pg_wall_clock_now(struct pg_wall_clock *clock);

void pg_wall_clock_begin(struct pg_wall_clock *clock);

/*
 * For the port's TLS: the time at which to judge a certificate that is valid from `from_s` until `until_s`, both
 * included. If only the first is known, `until_s` is UINT32_MAX, and it is called again with both. TLS checks chain,
 * name and signatures; if they are invalid, so is the connection.
 */
uint32_t pg_wall_clock_judge(struct pg_wall_clock *clock, uint32_t from_s, uint32_t until_s);

/*
 * Whether the certificate of the open connection was valid at a time that is not guessed. If not, the time is no longer
 * sure.
 */
int pg_wall_clock_holds(struct pg_wall_clock *clock);

/*
 * The Date of a response on a connection over TLS; 0: none.
 * @param is_stored 1: of the authorization server. Another server's counts until the next start, and must not be before
 * the last stored one
 * @return PG_REASON_NONE: the time is sure. PG_REASON_OUT_OF_DATE: by the server's own clock its certificate has
 * expired. PG_REASON_CLOCK_WRONG: an impossible time
 */
int pg_wall_clock_date(struct pg_wall_clock *clock, int64_t date_s, int is_stored);

#ifdef __cplusplus
}
#endif

#endif
