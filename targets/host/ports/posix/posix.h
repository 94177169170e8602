/* The port for Linux: command line, files and process hardening, settings pages, records in a file, a terminal as
 * display, and the network with libcurl. */
#ifndef PICOGRANT_POSIX_H
#define PICOGRANT_POSIX_H

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#ifdef PG_KEYS
#include "keys.h"
#endif
#include "page.h"
#include "picogrant-port.h"

enum { PG_EXIT_WRONG = 2, PG_EXIT_BROKEN = 70 };

struct pg_options {
  const char *pages[PG_PAGE_AREAS]; /* the settings pages; the first is always set, the second may be NULL */
  size_t heap_limit; /* limit of an engine's heap in bytes; 0: pg_heap_default */
};

/* Prints the problem and its reason in one line on standard error. Returns PG_EXIT_WRONG. */
int pg_complain(const char *what, const char *why);

/* Reads the command line. Returns 0 to continue, -1 after --help, or the exit code after an error. */
int pg_read_options(int count, char **arguments, struct pg_options *options);

/* process.c. Call this function before any secret is read. It disables core dumps, and prevents other processes of the same
 * user from inspecting this one. It removes environment variables that make TLS write its secrets to a file, or that weaken
 * its checks. A proxy in the environment stays, because it only tunnels TLS, and cannot see more than the network can. */
void pg_process_close(void);

/* Locks memory, if the system allows that (RLIMIT_MEMLOCK), so that its content is not written to a swap device. */
void pg_process_lock(void *bytes, size_t size);

/* Reads a whole file.
 * @param status the file's status, with its owner and mode
 * @return its size, or 0 if it is not a regular file, cannot be read, is empty, or is longer than `size` */
size_t pg_read_file(const char *path, void *into, size_t size, struct stat *status);

/* Checks the owners of a file as sshd does. The file and each directory above it must belong to this user or to root.
 * Nobody else may write there, except in a directory whose sticky bit protects each user's files.
 * @param status of the opened file
 * @return the problem and the remedy, or NULL */
const char *pg_owners_problem(const char *path, const struct stat *status);

/* A file as the medium of the record slots (picogrant-port.h). It behaves like NOR flash, and only this user can access
 * it. The blocks of the two slots alternate, PG_FILE_BLOCK bytes each, so that the file can grow for longer records
 * without moving its content. */

enum { PG_FILE_BLOCK = 8192 };

enum pg_file_state {
  PG_FILE_READY,
  PG_FILE_REFUSED,  /* tokens are not safe in it, or it cannot be used for a reason other than those of UNUSABLE */
  PG_FILE_UNUSABLE  /* the disk is full, read-only or broken; the device can run without it */
};

/* The file of a device. The caller owns it from pg_file_open to pg_file_close. Only file-medium.c uses the fields. */
struct pg_file_medium {
  struct pg_medium medium;
  int file;                     /* -1: none */
  uint8_t blank[PG_FILE_BLOCK]; /* the content of an erased block */
};

/* Opens the file records.flash in a directory. Creates the directory and the file, with erased slots, if they are
 * missing. Only one process can use the file.
 * @param slot_bytes the required size of a slot, including its header
 * @param medium for storage.h; NULL if the records cannot even be read
 * @param why the problem, as part of a sentence */
enum pg_file_state pg_file_open(struct pg_file_medium *own, const char *directory,
                                uint32_t slot_bytes, const struct pg_medium **medium,
                                const char **why);

void pg_file_close(struct pg_file_medium *own);

/* A display that is drawn in a terminal, or printed if the output is no terminal. Use one for each open device. */
struct pg_display {
  FILE *out; /* used only for this display, because each frame overwrites the previous one */
  int shown; /* must start as 0; only terminal.c uses it */
};

/* The network with libcurl, for one thread. PG_NETWORK_MAX is the maximum number of connections. */
enum { PG_WAIT_MAX = 2, PG_NETWORK_MAX = 4, PG_NETWORK_BUFFER = 4096, PG_NETWORK_NAME = 300 };

/* The network, which the devices of a program share. The caller owns it from pg_network_open to pg_network_close. */
struct pg_network {
  CURLM *multi;
  CURLSH *share; /* TLS sessions, which new connections to the same server can resume */
  struct pg_connection *connections[PG_NETWORK_MAX];
  int count;
};

/* A device's connection, owned by the caller, open until pg_network_close. Only connection-curl.c uses the fields. */
struct pg_connection {
  struct pg_network *network;
  CURL *easy; /* NULL: no connection at present */
  enum pg_connection_state state;
  int reason;     /* PG_REASON_*, if it has failed */
  int is_certificate_required; /* 1: the server has requested a certificate, and has sent no response yet */
  int is_blocked; /* 1: data to send waits for space in the socket's buffer */
  size_t filled;  /* number of bytes in `out` */
  size_t sent;
  char name[PG_NETWORK_NAME]; /* the server's name; the TLS library reads it while it connects */
  uint8_t out[PG_NETWORK_BUFFER];
  uint8_t in[PG_NETWORK_BUFFER];
};

/* The certificate authorities in PEM, for `trust` of struct pg_host_parts. If the text is empty, no server is trusted. */
struct pg_trust {
  const char *pem;
  size_t pem_size;
};

/* A descriptor to wait for, or -1, and whether it is ready. */
struct pg_waiting {
  int descriptor;
  int is_ready;
};

/* Opens the network. Returns NULL, or the problem. */
const char *pg_network_open(struct pg_network *network);

void pg_network_close(struct pg_network *network);

/* Adds a connection to the network. Returns 1, or 0 if the network already has PG_NETWORK_MAX. */
int pg_connection_open(struct pg_network *network, struct pg_connection *connection);

/* Sleeps until a connection or one of `count` descriptors (at most PG_WAIT_MAX) is ready, or the time has passed.
 * @param timeout_ms the minimum of pg_host_wake_in of all devices */
void pg_wait(struct pg_network *network, int timeout_ms, struct pg_waiting *waiting, int count);

/* options.c: reads the settings page (page.h) from PG_PAGE_AREAS files (NULL: none), and prints the problem of each
 * refused file on standard error. The content stays in memory until pg_pages_close.
 * @param trust the page's authorities
 * @param refused the number of files without a valid page
 * @return 1, or 0: no page is valid, and `page` must not be used */
int pg_pages_open(struct pg_page *page, const char *const files[PG_PAGE_AREAS], struct pg_trust *trust,
                  int *refused);

void pg_pages_close(void);

#ifdef PG_KEYS
/* signer.c: reads the device's key, a private key on P-256 in PEM, from a file that only this user can read. A program
 * can have only one key. Returns NULL, or the problem. */
const char *pg_signer_open(struct pg_signer *signer, const char *path);

void pg_signer_close(void);
#endif

#endif
