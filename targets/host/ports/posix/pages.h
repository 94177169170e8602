/* The maker's settings page (page.h) out of files: one for each area. */
#ifndef PICOGRANT_PAGES_H
#define PICOGRANT_PAGES_H

#include "network.h"
#include "page.h"

/*
 * Reads the files, PG_PAGE_AREAS of them (NULL: none), and says on standard error what is wrong with each. What is read
 * stays in this file's memory until pg_pages_close.
 * @param trust the page's authorities
 * @param refused how many files are no good page
 * @return 1; 0: no page is good, and nothing of `page` may be used
 */
int pg_pages_open(struct pg_page *page, const char *const files[PG_PAGE_AREAS], struct pg_trust *trust,
                  int *refused);

/* Wipes what was read. */
void pg_pages_close(void);

#endif
