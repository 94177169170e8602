/* Writes a slip with the verification URI and the user code in ESC/POS, which nearly all receipt printers support.
 * Programs without printing do not include this file. */
#ifndef PICOGRANT_SLIP_H
#define PICOGRANT_SLIP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text in the printer's code page, owned by the caller; size 0 for none. It need not end with 0. */
struct pg_slip_text {
  const void *bytes;
  size_t size;
};

struct pg_slip {
  /* Lines, separated by \n: above the address, between address and code, and at the end. */
  struct pg_slip_text heading;
  struct pg_slip_text between;
  struct pg_slip_text footing;
  /* The address and the code: the bytes of PG_FIELD_VERIFICATION_URI and PG_FIELD_USER_CODE (pg_start), one line each. */
  struct pg_slip_text address;
  struct pg_slip_text code;
  /* The content of the QR code, PG_FIELD_VERIFICATION_URI_COMPLETE. The printer draws it. */
  struct pg_slip_text qr;
  uint8_t code_page;   /* argument of ESC t: 0 for code page 437, 1 for katakana, 19 for 858 (Western Europe) */
  uint8_t module_dots; /* width of a module of the QR code in dots, 1..16; usually 6 */
  uint8_t feed_lines;  /* lines before the paper is cut; usually 4 */
};

/* The capacity of a QR code with error correction M (ISO/IEC 18004, version 40). */
enum { PG_SLIP_QR_MAX = 2331 };

/* The position in the buffer, and the bytes that are left. */
struct pg_slip_writer {
  uint8_t *at;
  size_t left;
  int is_full;
};

static inline void pg_slip_put(struct pg_slip_writer *writer, const void *bytes, size_t size) {
  if (size > writer->left) writer->is_full = 1;
  if (writer->is_full || size == 0) return;
  memcpy(writer->at, bytes, size);
  writer->at += size;
  writer->left -= size;
}

/* Writes a text without its control characters, which would be commands to the printer. `has_lines`: line ends stay. */
static inline void pg_slip_put_text(struct pg_slip_writer *writer, struct pg_slip_text text, int has_lines) {
  const uint8_t *bytes = (const uint8_t *)text.bytes;
  if (has_lines && text.size == 0) return;
  for (size_t i = 0; i < text.size; i++) {
    int is_stored = bytes[i] == '\n' ? has_lines : bytes[i] >= 0x20 && bytes[i] != 0x7f;
    if (is_stored) pg_slip_put(writer, bytes + i, 1);
  }
  pg_slip_put(writer, "\n", 1);
}

/**
 * Writes a slip for the printer.
 * @param buffer owned by the caller; a slip has about 70 bytes besides its texts
 * @param size of the buffer
 * @return the number of bytes; 0 if the buffer is too small or `qr` is longer than PG_SLIP_QR_MAX. After a 0, the
 * content of the buffer must not be used
 */
static inline size_t pg_slip_write(const struct pg_slip *slip, uint8_t *buffer, size_t size) {
  struct pg_slip_writer writer = {buffer, size, slip->qr.size > PG_SLIP_QR_MAX};
  /* Initializes, selects the code page, and centers. */
  const uint8_t begin[] = {0x1b, 0x40, 0x1b, 0x74, slip->code_page, 0x1b, 0x61, 1};
  const uint8_t cut[] = {0x1b, 0x64, slip->feed_lines, 0x1d, 0x56, 66, 0};
  pg_slip_put(&writer, begin, sizeof begin);
  pg_slip_put_text(&writer, slip->heading, 1);
  pg_slip_put_text(&writer, slip->address, 0);
  pg_slip_put(&writer, "\n", 1);
  pg_slip_put_text(&writer, slip->between, 1);
  /* Print the code in double height and width (GS !), so that it can be read from a distance. */
  pg_slip_put(&writer, "\x1d!\x11", 3);
  pg_slip_put_text(&writer, slip->code, 0);
  pg_slip_put(&writer, "\x1d!\0", 3);
  if (slip->qr.size > 0) {
    const size_t length = slip->qr.size + 3;
    /* The commands GS ( k set model 2, the size of a module, error correction M and the content. The last one prints. */
    const uint8_t make[] = {0x0a, 0x1d, 0x28, 0x6b, 4, 0, 49, 65, 50, 0,
                            0x1d, 0x28, 0x6b, 3, 0, 49, 67, slip->module_dots,
                            0x1d, 0x28, 0x6b, 3, 0, 49, 69, 49,
                            0x1d, 0x28, 0x6b, (uint8_t)(length & 255), (uint8_t)(length >> 8), 49, 80, 48};
    const uint8_t print[] = {0x1d, 0x28, 0x6b, 3, 0, 49, 81, 48};
    pg_slip_put(&writer, make, sizeof make);
    pg_slip_put(&writer, slip->qr.bytes, slip->qr.size);
    pg_slip_put(&writer, print, sizeof print);
  }
  pg_slip_put_text(&writer, slip->footing, 1);
  pg_slip_put(&writer, cut, sizeof cut);
  return writer.is_full ? 0 : size - writer.left;
}

#ifdef __cplusplus
}
#endif

#endif
