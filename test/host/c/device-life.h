/*
 * A device on the portable host (host.h) in a world of its own: clock, chance, server, network, records, display, and a
 * user who presses keys. All of it comes out of one seed, so that a life can be lived again, alone or beside another,
 * and must be the same to the byte.
 */
#include <stddef.h>
#include <stdint.h>

#include "host.h"

enum { LIFE_SLOT = 7000, LIFE_REQUEST = 16384, LIFE_ANSWER = 4096, LIFE_MEMORY = 6500 };

struct life;

/* What connection.h and display.h are given. */
struct pg_connection {
  struct life *life;
  enum pg_connection_state state;
  int is_used;
  char sent[LIFE_REQUEST];
  size_t sent_size;
  char answer[LIFE_ANSWER];
  size_t answer_size;
  size_t answer_at;
  int is_silent; /* no answer comes */
};

struct pg_display {
  struct life *life;
};

/* How often what happened, so that a test knows that it did. */
struct life_counts {
  long requests;
  long frames;
  long reports;
  long calls;
  long restarts;
  long broken;
  long refused;
};

struct life {
  struct pg_host host;
  struct pg_host_parts parts;
  struct pg_settings settings;
  struct pg_connection connection;
  struct pg_display display;
  struct pg_medium medium;
  uint8_t slots[2][LIFE_SLOT];
  uint32_t dice;   /* of the world */
  uint32_t chance; /* of pg_random */
  uint32_t now_ms;
  int number;  /* of its servers and client */
  int is_open;
  int in_turn;
  int codes;   /* that its server has given out */
  int types;   /* of bodies that its server refuses: none, now and then, every second time */
  size_t took; /* of the heap, when it was opened last */
  char texts[8][64];
  struct life_counts counts;
  /* All that anybody outside the device has seen of it. */
  char *trace;
  size_t trace_size;
  size_t trace_room;
};

/* Called within calls of a device's own world: here another device may have its turn. */
extern void (*life_pause)(const struct life *life);

/* Begins a life, with nothing kept; the device is not open yet. */
void life_begin(struct life *life, uint32_t seed);

/* The world goes on a little, and the device works. */
void life_turn(struct life *life);

/* Closes the device, and checks that nothing of its heap is left. The trace stays. */
void life_end(struct life *life);

/* Frees the trace. */
void life_forget(struct life *life);

/* Of the device's own world: chance below a bound, and a line of the trace. */
int life_below(struct life *life, int bound);
void life_note(struct life *life, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether it is this device's turn. */
int life_has_turn(const struct life *life);

/* At the beginning of a call of the device's world, which must be its own; `what` is said where it is not. */
void life_enter(const struct life *life, const char *what);

/* Where something is wrong already within a life: says so, and ends the program. */
void life_check(int holds, const char *what);
