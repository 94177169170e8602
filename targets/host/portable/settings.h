/* The settings of a device. Firmware has them as constants in flash, or reads them from a settings page (page.h). */
#ifndef PICOGRANT_SETTINGS_H
#define PICOGRANT_SETTINGS_H

#include "picogrant-numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of endpoints that can have an address. The last one is the first resource server. */
enum { PG_ADDRESS_COUNT = PG_ENDPOINT_RESOURCE + 1 };

/* Every text ends with a 0, and "" means none. All texts must stay in place until pg_host_close. */
struct pg_settings {
  const char *client_id;
  const char *client_secret;
  const char *scope;
  const char *device_parameters; /* for device authorization requests, encoded, each starting with '&' */
  const char *token_parameters;  /* the same for token requests */
  /* Display texts in the core's order, one line each, in UTF-8; U+0080..U+00FF are the display's own characters. "":
   * English. */
  const char *messages;
  /* Display texts for PG_REASON_*, one line each, in that order from 1. "": English. */
  const char *reasons;
  const char *server; /* the issuer; "": the address of the token endpoint identifies the server */
  const char *user_agent;
  /* The developer's own headers: lines `Name: value`, each ended by CR LF; or "". */
  const char *grant_headers;    /* for requests to the authorization server */
  const char *resource_headers; /* for calls to resource servers */
  /* Addresses by PG_ENDPOINT_*, in the format of address.h. */
  const char *addresses[PG_ADDRESS_COUNT];
  int columns;          /* 16..80 */
  int rows;             /* 2..8 */
  int memory_bytes;     /* the device's memory, 2048..PG_MEMORY_MAX */
  int connect_seconds;  /* time limit for connecting: 1..60 */
  int exchange_seconds; /* time limit of an exchange, including connecting: 1..110 */
  int response_bytes;   /* limit of a response's body: 1024..1048576 */
  int renewals;         /* how often an expired code is replaced without the user: 0..1000 */
  int start_spread_ms;  /* the longest random wait before the first request: 1..3600000; 0: 5000; or PG_START_AT_ONCE */
  int pkce;             /* 1: each device authorization request has a code challenge; 0: only after the server has required one */
  int json_bodies;      /* 1: parameters of the grant are sent as JSON; 0: as forms, unless a server refuses those */
  int allow_http;       /* 1: allows plain http to other machines, where others on the network can read tokens */
  int auto_start;       /* 1: requests a code at the start */
  int client_authentication; /* PG_CLIENT_AUTHENTICATION_* */
#ifdef PG_KEYS
  int dpop;            /* 1: tokens are bound to the device's key (keys.h) */
  /* 1 or 2: the client authenticates with the device's key, and `client_authentication` is NONE. The audience is the
   * issuer for 1, the token endpoint for 2. */
  int private_key_jwt;
#endif
};

/* The core uses at most this many bytes (pg_core_open). */
enum { PG_MEMORY_MAX = 65535 };

#ifdef __cplusplus
}
#endif

#endif
