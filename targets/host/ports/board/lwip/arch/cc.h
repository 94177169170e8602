/* What lwIP requires of a compiler. Its defaults fit GCC. */
#ifndef PICOGRANT_BOARD_CC_H
#define PICOGRANT_BOARD_CC_H

#define LWIP_NO_UNISTD_H 1
#define LWIP_TIMEVAL_PRIVATE 1
#define LWIP_PLATFORM_DIAG(message)
#define BYTE_ORDER LITTLE_ENDIAN

#endif
