/*
 * The time of day, for a port without a reliable clock: without a battery, or with one that may be empty. A certificate
 * cannot be checked without the time, and the time cannot be authenticated without a certificate. So there are three
 * kinds of time:
 *
 *   sure     a running clock, or the `Date` of a response over TLS whose certificate was valid at that time
 *   hinted   from a time server, not authenticated: used for one connection, and never stored
 *   guessed  the earliest time at which the server's certificate can exist: its notBefore, or the stored time
 *
 * On a connection with a guessed time, only a request for the server's `Date` is sent (http.h). Only times from the
 * authorization server over TLS are stored. The latest response counts, even if its time is earlier than the previous
 * one. But it must not be before `earliest_s`: the firmware's build, the settings page, and the newest notBefore of a
 * certificate that was valid. A certificate authority has confirmed that time, so a wrong response cannot move the time
 * too far.
 */
#ifndef PICOGRANT_WALL_CLOCK_H
#define PICOGRANT_WALL_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All times of this file are in seconds since 1970. */
struct pg_wall_stored {
  uint32_t earliest_s; /* the earliest time that is accepted */
  uint32_t last_s;     /* the last time from a server; certificates that had expired before are refused */
};

/* A clock. It starts as zeros, except the stored times and the function. All devices of a program may share one. */
struct pg_wall_clock {
  struct pg_wall_stored stored;
  /*
   * Stores the times, and sets the machine's clock, if there is one, to `wall_s`. Called once a day, and also when the
   * time was unknown or different, but at most once an hour. If it fails, it is called again later.
   */
  void (*keep)(const struct pg_wall_stored *stored, uint32_t wall_s);
  /* Only wall-clock.c uses the following members. */
  uint32_t wall_s; /* the time at `at_ms`; 0: unknown */
  uint32_t at_ms;
  uint32_t hint_s; /* the hinted time at `at_ms`; 0: none */
  uint32_t stored_ms;
  uint32_t from_s; /* the start of the validity of the connection's certificate */
  uint32_t until_s;
  uint8_t is_sure; /* 1: the time is not guessed. May be read: while it is 0, the host may query a time server */
  uint8_t has_stored; /* 1: the time has been stored since the start */
  uint8_t holds;    /* the certificate is valid at a time that is not guessed */
};

/* Sets a lower limit: when the firmware was built, or when the page was made. */
void pg_wall_clock_earliest(struct pg_wall_clock *clock, uint32_t wall_s);

/*
 * Sets the time from a clock with a battery. It is reliable, unless it is before the stored time. Returns 1, or 0: the
 * clock has lost the time.
 */
int pg_wall_clock_set(struct pg_wall_clock *clock, uint32_t wall_s);

void pg_wall_clock_hint(struct pg_wall_clock *clock, uint32_t wall_s);

/* The time, sure or hinted; 0: unknown. Call it at least every 49 days, because pg_clock_ms wraps. */
uint32_t pg_wall_clock_now(struct pg_wall_clock *clock);

void pg_wall_clock_begin(struct pg_wall_clock *clock);

/*
 * For the port's TLS: returns the time at which to check a certificate that is valid from `from_s` to `until_s`, both
 * included. If only the first is known, pass UINT32_MAX for `until_s`, and call it again with both. TLS must check
 * chain, name and signatures itself.
 */
uint32_t pg_wall_clock_judge(struct pg_wall_clock *clock, uint32_t from_s, uint32_t until_s);

/*
 * Whether the certificate of the open connection was valid at a time that is not guessed. If it was not, the time is no
 * longer sure.
 */
int pg_wall_clock_holds(struct pg_wall_clock *clock);

/*
 * Passes on the Date of a response over TLS; 0: none.
 * @param is_stored 1: from the authorization server. The time of another server is used until the next start, and must not
 * be before the last stored time
 * @return PG_REASON_NONE: the time is sure. PG_REASON_OUT_OF_DATE: by the server's own clock, its certificate has expired.
 * PG_REASON_CLOCK_WRONG: the time is impossible
 */
int pg_wall_clock_date(struct pg_wall_clock *clock, int64_t date_s, int is_stored);

#ifdef __cplusplus
}
#endif

#endif
