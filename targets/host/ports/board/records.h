/* The two record slots in the EEPROM. */
#ifndef PICOGRANT_BOARD_RECORDS_H
#define PICOGRANT_BOARD_RECORDS_H

#include "medium.h"

/* For pg_host: two slots at the start of the EEPROM. */
extern const struct pg_medium board_records;

#endif
