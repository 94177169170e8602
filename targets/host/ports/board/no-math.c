/*
 * The engine's Math object names every function of the C library's, 22 KiB of them. The core reckons with small
 * integers alone and calls none: here each says that it is not a number. Remove this file from the Makefile for
 * an application that does more with the engine.
 */
#include <math.h>

#define NONE_OF_ONE(name) \
  double name(double a) { \
    (void)a; \
    return NAN; \
  }
#define NONE_OF_TWO(name) \
  double name(double a, double b) { \
    (void)a; \
    (void)b; \
    return NAN; \
  }

NONE_OF_ONE(acos)
NONE_OF_ONE(acosh)
NONE_OF_ONE(asin)
NONE_OF_ONE(asinh)
NONE_OF_ONE(atan)
NONE_OF_ONE(atanh)
NONE_OF_ONE(cbrt)
NONE_OF_ONE(cos)
NONE_OF_ONE(cosh)
NONE_OF_ONE(exp)
NONE_OF_ONE(expm1)
NONE_OF_ONE(log)
NONE_OF_ONE(log10)
NONE_OF_ONE(log1p)
NONE_OF_ONE(sin)
NONE_OF_ONE(sinh)
NONE_OF_ONE(tan)
NONE_OF_ONE(tanh)
NONE_OF_TWO(atan2)
NONE_OF_TWO(hypot)
NONE_OF_TWO(pow)
