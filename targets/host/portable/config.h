/*
 * The device's configuration, device.json (platform/configuration/device.schema.json): what this host
 * takes from it, in fixed memory. The text is parsed by a short-lived engine of its own, so that the
 * device's engine needs no JSON. Secrets come from the file only, never from the command line.
 */
#ifndef PICOGRANT_CONFIG_H
#define PICOGRANT_CONFIG_H

#include <stddef.h>

enum { PG_TEXT = 257, PG_SCOPE = 513, PG_PATH = 1025, PG_PARAMETERS = 1025 };

struct pg_config {
  char client_id[PG_TEXT];
  char client_secret[PG_TEXT];
  char scope[PG_SCOPE];
  char device_parameters[PG_PARAMETERS]; /* encoded, each starting with '&' */
  char device_authorization[PG_TEXT];    /* addresses; "" where absent */
  char token[PG_TEXT];
  char revocation[PG_TEXT];
  char video_api[PG_TEXT];
  char directory[PG_PATH]; /* where the records are */
  char certificates[PG_PATH];
  char user_agent[PG_TEXT];
  int columns;
  int rows;
  int memory_bytes;
  int exchange_seconds;
  int connect_seconds;
  int answer_bytes;
  int renewals;
  int auto_start;
  int revoke_in_body;
};

/*
 * Reads and checks `size` bytes of JSON; text[size] must be 0.
 * Returns NULL, or one line that names the mistake by its path and quotes no value. The line stays good
 * until the next call.
 */
const char *pg_config_parse(struct pg_config *config, const char *text, size_t size);

#endif
