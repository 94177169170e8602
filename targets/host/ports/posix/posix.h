/*
 * The port for Linux: the command line, files and process hardening, settings pages, records in a file, a terminal, and
 * the network with libcurl.
 */
#ifndef PICOGRANT_POSIX_H
#define PICOGRANT_POSIX_H

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "page.h"
#include "picogrant-port.h"

/* options.c: the command line. */

enum { PG_EXIT_WRONG = 2, PG_EXIT_BROKEN = 70 };

struct pg_options {
  const char *pages[PG_PAGE_AREAS]; /* the first is there; NULL: none */
  size_t heap_limit; /* of an engine; 0: its own default */
};

/* Prints one line on standard error: what, and why. Returns PG_EXIT_WRONG. */
int pg_complain(const char *what, const char *why);

/* Reads the command line. 0; or -1 if everything is done; or the exit code, after the reason was printed. */
int pg_read_options(int count, char **arguments, struct pg_options *options);

/*
 * process.c. Call it first. It disables core dumps, prevents other processes of the user from inspecting this one, and
 * removes variables that make TLS write its secrets to a file, or trust and accept what it should not. A proxy of the
 * environment stays: it gets a tunnel, and sees no more than the network does.
 */
void pg_process_close(void);

/* Locks memory, if the system allows it (RLIMIT_MEMLOCK), so that it is not swapped. */
void pg_process_lock(void *bytes, size_t size);

/*
 * Reads a whole file.
 * @param status of the file: who may do what with it
 * @return its size; 0 if it is no file, cannot be read, is empty, or is longer than `size`
 */
size_t pg_read_file(const char *path, void *into, size_t size, struct stat *status);

/*
 * Checks a file as sshd does: it and each directory above it must belong to this user or to root, and nobody else may
 * write there, unless the sticky bit protects everybody's own files.
 * @param status of the opened file
 * @return the problem and the remedy, or NULL
 */
const char *pg_owners_problem(const char *path, const struct stat *status);

/*
 * A file as the medium of the record slots (picogrant-port.h): it behaves like NOR flash, and is for this user only.
 * The two slots alternate in blocks of PG_FILE_BLOCK bytes, so that the file can grow for longer records without moving
 * its content.
 */

enum { PG_FILE_BLOCK = 8192 };

enum pg_file_state {
  PG_FILE_READY,
  PG_FILE_REFUSED,  /* it is not safe to store tokens there: `why` has the remedy */
  PG_FILE_UNUSABLE  /* the disk is full, read-only or broken: the device can run without it */
};

/* One device's: the caller's, from pg_file_open to pg_file_close. The fields are file-medium.c's own. */
struct pg_file_medium {
  struct pg_medium medium;
  int file;                     /* -1: none */
  uint8_t blank[PG_FILE_BLOCK]; /* as erased */
};

/*
 * Creates the directory if it is missing, opens the file records.flash in it, or creates it with both slots erased.
 * Only one process may use it.
 * @param slot_bytes the required size of a slot, including its header
 * @param medium for storage.h; NULL if nothing can be read either
 * @param why the problem, as part of a sentence
 */
enum pg_file_state pg_file_open(struct pg_file_medium *own, const char *directory,
                                uint32_t slot_bytes, const struct pg_medium **medium,
                                const char **why);

void pg_file_close(struct pg_file_medium *own);

/* A display that is drawn in a terminal, or printed if the output is none. One per open device. */
struct pg_display {
  FILE *out; /* for this display only: each frame overwrites the previous one */
  int shown; /* 0 at first; terminal.c's own */
};

/* The network, over libcurl, from one thread. PG_NETWORK_MAX: connections of one network. */
enum { PG_WAIT_MAX = 2, PG_NETWORK_MAX = 4, PG_NETWORK_BUFFER = 4096, PG_NETWORK_NAME = 300 };

/* What the devices of a program share: the caller's, from pg_network_open to pg_network_close. */
struct pg_network {
  CURLM *multi;
  CURLSH *share; /* TLS sessions, so that new connections to a server can resume them */
  struct pg_connection *connections[PG_NETWORK_MAX];
  int count;
};

/* One device's: the caller's, from pg_connection_open to pg_network_close. The fields are connection-curl.c's own. */
struct pg_connection {
  struct pg_network *network;
  CURL *easy; /* NULL: there is none now */
  enum pg_connection_state state;
  int reason;     /* PG_REASON_*: why it has failed */
  int is_certificate_required; /* the server has requested one, and has not responded yet */
  int is_blocked; /* data to send waits for space in the buffer */
  size_t filled;  /* of `out` */
  size_t sent;
  char name[PG_NETWORK_NAME]; /* the peer's, which the TLS library reads while it connects */
  uint8_t out[PG_NETWORK_BUFFER];
  uint8_t in[PG_NETWORK_BUFFER];
};

/* `trust` of struct pg_host_parts: certificates of authorities in PEM; empty: no server is trusted. */
struct pg_trust {
  const char *pem;
  size_t pem_size;
};

/* A descriptor to wait for, and whether it is ready; -1: none. */
struct pg_waiting {
  int descriptor;
  int is_ready;
};

/* Returns NULL, or the problem. */
const char *pg_network_open(struct pg_network *network);

void pg_network_close(struct pg_network *network);

/* Adds a connection, for picogrant-port.h. 1, or 0 if the network has PG_NETWORK_MAX already. */
int pg_connection_open(struct pg_network *network, struct pg_connection *connection);

/*
 * Sleeps until one of the connections, one of `count` (at most PG_WAIT_MAX) descriptors, or the time needs attention.
 * @param timeout_ms the minimum of pg_host_wake_in of all devices
 */
void pg_wait(struct pg_network *network, int timeout_ms, struct pg_waiting *waiting, int count);

/*
 * options.c: reads the settings page (page.h) from PG_PAGE_AREAS files (NULL: none), and prints the problem of each on
 * standard error. The content stays in this file's memory until pg_pages_close.
 * @param trust the page's authorities
 * @param refused number of files without a valid page
 * @return 1; 0: no page is valid, and `page` must not be used
 */
int pg_pages_open(struct pg_page *page, const char *const files[PG_PAGE_AREAS], struct pg_trust *trust,
                  int *refused);

void pg_pages_close(void);

#endif
