/* The board's own functions: UART, sleep, persistent memory, clock and display. The main loop calls them. Interrupts
 * only set a flag, count, or store a pressed key. After a fault or a watchdog timeout, the board prints a line and
 * restarts. */
#ifndef PICOGRANT_BOARD_H
#define PICOGRANT_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include "picogrant-port.h"
#include "wall-clock.h"

/* main.c: fills the free part of the stack with a pattern, at the reset. `frame` is the stack frame of the caller. */
void board_stack_paint(void *frame);
/* startup.c */
void board_restart(void) __attribute__((noreturn));
void board_hang(void) __attribute__((noreturn)); /* never returns; the watchdog resets the board */
size_t board_stack_used(void); /* the largest use of the stack since the reset, in bytes */
size_t board_stack_size(void);

/* chip.c, serial.c: board_log sends text at once. At most 15 keys are stored until they are read; further ones are dropped. */
void board_uart_open(void);
void board_log(const char *text);
void board_log_bytes(const uint8_t *bytes, size_t size);
void board_log_number(long number);
void board_log_hex(uint32_t number);
int board_key(void);         /* the next key pressed, or -1 */
int board_key_is_stored(void); /* whether a pressed key is stored */
void board_on_key(void);
void board_keep_key(uint8_t key); /* stores a key; only board_on_key calls this function */
void board_uart_put(uint8_t byte);

/* chip.c: the clock, the watchdog, and the timer that ends a sleep. startup.c: board_sleep, for the main loop. */
void board_clock_open(void);
void board_watchdog_open(void);
void board_watchdog_feed(void);
/* Sleeps until a key is pressed or a packet arrives, at most `ms` milliseconds and at most a minute. Does not sleep if
 * a key or a packet is waiting. */
void board_sleep(uint32_t ms);
void board_timer_start(uint32_t ms); /* wakes the board after this time, at most a minute */
void board_timer_stop(void);
struct board_sleep_figures {
  uint32_t wakes;    /* how often the processor woke up */
  uint32_t asleep_ms;
  uint32_t since_ms; /* duration of the measurement */
};
/* Returns the figures since the last call, and resets them. */
struct board_sleep_figures board_sleep_figures(void);

/* i2c.c, only on mps2. Each function returns 1, or 0 if the device does not respond. */
int board_i2c_write(uint8_t device, const uint8_t *head, size_t head_size, const uint8_t *bytes,
                    size_t size);
int board_i2c_read(uint8_t device, const uint8_t *head, size_t head_size, uint8_t *bytes,
                   size_t size);

/* i2c.c or ssi.c: persistent memory. The bytes must be in one page of MAP_EEPROM_PAGE bytes. A write returns when the chip has
 * finished. Returns 1, or 0 if the chip does not respond. A power failure affects only the page that is being written. */
enum { BOARD_EEPROM_BYTES = 32768 };
int board_page_read(size_t at, uint8_t *bytes, size_t size);
int board_page_write(size_t at, const uint8_t *bytes, size_t size);
/* records.c: these functions take any range of bytes, also across pages. */
int board_eeprom_read(size_t at, uint8_t *bytes, size_t size);
int board_eeprom_write(size_t at, const uint8_t *bytes, size_t size);
/* records.c: the two record slots, at the start of the memory. */
extern const struct pg_medium board_records;

/* clock.c: the time for checking certificates (wall-clock.h), stored beside the records. */
extern struct pg_wall_clock board_clock;
/* Reads the stored time and the clock chip. No time before `earliest_s` (the firmware's build, the settings page) is
 * accepted. */
void board_clock_read(uint32_t earliest_s);
/* i2c.c or chip.c: returns the clock chip's time in seconds since 1970; 0 if there is no chip, or if it has stopped. */
uint32_t board_clock_chip(void);
void board_clock_set_chip(uint32_t wall_s);

/* records.c: combines the stored seed with that of the settings page (size 0: none), and stores the next seed. Returns
 * 1, or 0 if there is no seed, or the next one could not be stored; the board then refuses TLS. */
int board_entropy_open(const uint8_t *given, size_t given_size);

/* The linker script defines the two areas for the settings page (page.h), MAP_PAGE_BYTES each. */
extern const uint8_t board_page_0[], board_page_1[];

/* oled.c: a display of 16 columns and 2 rows. The functions have no effect if the display does not respond. */
void board_oled_open(void);
void board_oled_show(const uint8_t *cells);

/* startup.c: whether the Ethernet controller has raised its interrupt; and enables (1), or disables and clears (0), the
 * interrupt. */
int board_ethernet_has_input(void);
void board_ethernet_listen(int is_on);

/* connection.c: the board has a single connection, because its RAM is sufficient for only one TLS session. */
extern struct pg_connection board_connection;

/* libc.c: returns how many bytes malloc has taken of the memory for an engine's heap. */
size_t board_heap_reached(void);

#endif
