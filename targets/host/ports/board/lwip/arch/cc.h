/* lwIP's options for the compiler. For GCC, the defaults suffice for everything else. */
#ifndef PICOGRANT_BOARD_CC_H
#define PICOGRANT_BOARD_CC_H

#define LWIP_NO_UNISTD_H 1
#define LWIP_TIMEVAL_PRIVATE 1
#define LWIP_PLATFORM_DIAG(message)
#define BYTE_ORDER LITTLE_ENDIAN

#endif
