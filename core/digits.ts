// Arithmetic without fractions (engines box them): division by halving.

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
