/*
 * The device updates itself: it fetches a signed image over its own HTTPS and hands it to the boot loader piece by
 * piece as it comes (loader/services.h). Needs no sign-in, so that an update can mend one that does not work.
 */
#ifndef PICOGRANT_BOARD_UPDATE_H
#define PICOGRANT_BOARD_UPDATE_H

#include "settings.h"
#include "tls.h"

/*
 * Fetches `address` and /a.img or /b.img, the image linked for the slot that is free. Restarts into its trial;
 * returns where there is none, having said why. Between two exchanges of the host's only: pg_host_take_http
 * afterwards.
 */
void update_run(const char *address, const struct pg_settings *settings,
                const struct board_trust *trust);

/* To be called after each step of the host's: confirms the running image once the device is well. */
void update_confirm(void);

#endif
