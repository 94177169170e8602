/*
 * The device updates itself: it fetches signed images over its own HTTPS and hands them to the boot loader piece by
 * piece as they come (loader/services.h). Needs no sign-in, so that an update can mend one that does not work.
 *
 * Below the address of updates lie
 *   latest        a line each: `release 1.1.0`, `settings 3`; a hint that spares requests, and nothing is believed of it
 *   settings.img  what the maker sets (factory.h), where `settings` is above the device's counter
 *   a.img, b.img  the release, linked for a slot, where `release` is another than the one that runs
 */
#ifndef PICOGRANT_BOARD_UPDATE_H
#define PICOGRANT_BOARD_UPDATE_H

#include "host.h"
#include "tls.h"

enum update_end {
  UPDATE_NOTHING,     /* there is nothing new, or it failed; it was said why */
  UPDATE_INTERRUPTED, /* a key is pressed: to be called again afterwards, and it goes on where it was */
  UPDATE_READY        /* what is new waits for a restart */
};

/*
 * Looks, and fetches, over the host's HTTP, for which there is no second room: between two of its exchanges only, and
 * pg_host_take_http afterwards.
 */
enum update_end update_run(const char *address, struct pg_http *http, const struct pg_settings *settings,
                           const struct board_trust *trust);

/* To be called after each step of the host's: confirms the running image once the device is well. */
void update_confirm(struct pg_host *host);

#endif
