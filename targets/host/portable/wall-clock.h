/*
 * The time of day, for a port without a reliable clock: its clock has no battery, or the battery may be empty. A
 * certificate cannot be checked without the time, and the time cannot be authenticated without a certificate. So there
 * are three kinds of time:
 *
 *   sure     a running clock, or the `Date` of a response over TLS, if the server's certificate was valid at that time
 *   hinted   from a time server, not authenticated: used until a response has a valid `Date`, and never stored
 *   guessed  the earliest possible time: the notBefore of the server's certificate, or the stored time if it is later
 *
 * On a connection with a guessed time, only a request for the server's `Date` is sent (http.h). Only times from the
 * authorization server over TLS are stored. The latest response of that server counts, even if its time is earlier than
 * that of the previous one. But a time before `earliest_s` is refused. This is the latest of three times: when the
 * firmware was built, when the settings page was made, and the notBefore of each certificate with which a time was
 * stored. So a wrong response cannot set the clock back beyond a time that a certificate authority has confirmed.
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
  uint32_t last_s;     /* the last stored time, or `earliest_s` if that is later; no guessed time is earlier */
};

/* A clock. It starts as zeros, except `stored` and `keep`. Devices with simultaneous connections must not share one. */
struct pg_wall_clock {
  struct pg_wall_stored stored;
  /* Stores `stored`, and sets the machine's clock, if there is one, to `wall_s`. Called when the time was unknown, was
   * wrong by more than a minute, or was stored a day ago. The calls after the first one are at least an hour apart. A
   * failure is not reported; a later call stores a newer time. */
  void (*keep)(const struct pg_wall_stored *stored, uint32_t wall_s);
  /* Only wall-clock.c uses the following members. */
  uint32_t wall_s; /* the time at `at_ms`; 0: unknown */
  uint32_t at_ms;
  uint32_t hint_s; /* the hinted time at `at_ms`; 0: none */
  uint32_t stored_ms;
  uint32_t from_s; /* the validity of the certificate of the current connection */
  uint32_t until_s;
  uint8_t is_sure; /* 1: `wall_s` is sure. 0: the port may query a time server. Ports may read this member */
  uint8_t has_stored; /* 1: the time has been stored since the start */
  uint8_t holds;    /* 1: the certificate of the current connection is valid at a time that is not guessed */
};

/* Raises the earliest accepted time to `wall_s`, the time of the firmware's build or of the settings page. */
void pg_wall_clock_earliest(struct pg_wall_clock *clock, uint32_t wall_s);

/* Sets the time from a clock with a battery. Returns 1, or 0 if `wall_s` is 0 or before the stored time, which means
 * that the clock has lost the time. */
int pg_wall_clock_set(struct pg_wall_clock *clock, uint32_t wall_s);

/* Sets the hinted time. If `wall_s` is before the last stored time, there is no hinted time afterwards. */
void pg_wall_clock_hint(struct pg_wall_clock *clock, uint32_t wall_s);

/* Returns the sure time, or else the hinted one; 0: unknown. Call it at least every 49 days: pg_clock_ms wraps. */
uint32_t pg_wall_clock_now(struct pg_wall_clock *clock);

/* Starts a new connection, whose certificate is not known yet. */
void pg_wall_clock_begin(struct pg_wall_clock *clock);

/* For the port's TLS: returns the time at which to check a certificate that is valid from `from_s` to `until_s`, both
 * included. While only `from_s` is known, pass UINT32_MAX for `until_s`, and call this function again when both are
 * known. TLS must check chain, name and signatures itself. */
uint32_t pg_wall_clock_judge(struct pg_wall_clock *clock, uint32_t from_s, uint32_t until_s);

/* Whether the open connection's certificate was valid at a time that is not guessed. If not, the time is not sure. */
int pg_wall_clock_holds(struct pg_wall_clock *clock);

/* Takes the Date of a response over TLS, in seconds since 1970; 0 or -1 for none.
 * @param is_stored 1: the response is from the authorization server. 0: it is from another server; its time must not be
 * before the last stored time, and is used until the next start
 * @return PG_REASON_NONE: the time is sure. OUT_OF_DATE: by the server's own clock, its certificate has expired.
 * CLOCK_WRONG: there is no Date, or it is before the certificate's validity or the earliest accepted time */
int pg_wall_clock_date(struct pg_wall_clock *clock, int64_t date_s, int is_stored);

#ifdef __cplusplus
}
#endif

#endif
