// Arithmetic without fractions (engines box them): digits, UTF-8, division by repeated halving.

/** `0`..`9`, `A`..`F` for 0..15. */
export function hexDigit(value: number): number {
  return value < 10 ? value + 48 : value + 55;
}

/**
 * `value / divisor` without remainder, for 0 <= value <= 2^27-1 and 1 <= divisor <= 2^20.
 * At most 27 steps.
 */
export function quotient(value: number, divisor: number): number {
  var shift = 0;
  while (divisor << shift < 67108864 && divisor << (shift + 1) <= value) shift++;
  var result = 0;
  for (; shift >= 0; shift--) {
    if (divisor << shift <= value) {
      value -= divisor << shift;
      result += 1 << shift;
    }
  }
  return result;
}

/** Byte `index` of a code point in UTF-8, -1 behind its last. */
export function utf8Byte(point: number, index: number): number {
  var length = point < 128 ? 1 : point < 2048 ? 2 : point < 65536 ? 3 : 4;
  if (index >= length) return -1;
  if (length === 1) return point;
  var rest = point >> (6 * (length - 1 - index));
  return index ? 128 | (rest & 63) : ((240 << (4 - length)) & 255) | rest;
}
