/*
 * The operator ** is the one place left (quickjs.sed) where the engine wants the C library's pow, 5 KiB with what that
 * stands on. The core has no use for it: here it says that it is not a number. Remove this file from the Makefile for
 * an application that has.
 */
#include <math.h>

double pow(double base, double exponent) {
  (void)base;
  (void)exponent;
  return NAN;
}
