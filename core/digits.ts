// Arithmetic without fractions (engines box them): division by halving, and UTF-8.

/** `value / divisor` without remainder, for 0 <= value <= 2^27-1 and 10 <= divisor <= 1000. */
export function quotient(value: number, divisor: number): number {
  var result = 0;
  // divisor << 17 stays below 2^27; a quotient has at most 24 bits.
  for (var shift = divisor > 99 ? 17 : 20; shift >= 0; shift--) {
    if (divisor << shift <= value) {
      value -= divisor << shift;
      result += 1 << shift;
    }
  }
  return result;
}

/** Byte `index` of a code point in UTF-8, -1 behind its last. */
export function utf8Byte(point: number, index: number): number {
  var last = point < 128 ? 0 : point < 2048 ? 1 : point < 65536 ? 2 : 3;
  if (index > last) return -1;
  var rest = point >> (6 * (last - index));
  if (!last) return rest;
  return index ? 128 | (rest & 63) : ((1920 >> last) & 255) | rest;
}
