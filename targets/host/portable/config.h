/*
 * The device's configuration, device.json (platform/configuration/device.schema.json): what a C host takes
 * from it. Secrets come from the document only, never from the command line.
 */
#ifndef PICOGRANT_CONFIG_H
#define PICOGRANT_CONFIG_H

#include <stddef.h>

#include "settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's. The texts lie in the buffers that pg_config_read was given. */
struct pg_config {
  struct pg_settings settings;
  const char *directory;    /* where the records are; "" where the document does not say */
  const char *certificates; /* file of trusted certificates in PEM, or "" for the system's */
  char problem[256];        /* the line that pg_config_read returns */
};

/*
 * Reads and checks `size` bytes of JSON.
 * @param text is decoded where it lies; stays as it is for as long as the configuration is used, and
 *   holds the secret: the caller wipes it
 * @param room as `text`, for what is longer encoded than written: form parameters, headers
 * @return NULL, or one line that names the mistake by its path and quotes no value; it lies in
 *   `config`
 */
const char *pg_config_read(struct pg_config *config, char *text, size_t size, char *capacity,
                           size_t capacity_size);

#ifdef __cplusplus
}
#endif

#endif
