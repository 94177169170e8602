// Arithmetic with small integers. Results have no fraction and are never below zero.

import { must } from "./assertion.ts";
import { Limit } from "./limits.ts";

/** `value` minus `step`, but at least zero. Limit.ENDLESS is not counted down. */
export function countDown(value: number, step: number): number {
  if (value === Limit.ENDLESS) return value;
  return value > step ? value - step : 0;
}

/** The integer quotient, for divisors up to 1000 and quotients below 2^18. */
export function quotient(value: number, divisor: number): number {
  ASSERT: must(divisor > 0 && divisor <= 1000, "a divisor has three digits");
  ASSERT: must(value >= 0 && value >> 18 < divisor, "a quotient has 18 bits");
  var result = 0;
  // divisor << 17 stays below 2^27.
  for (var shift = 18; shift--; ) {
    if (divisor << shift <= value) {
      value -= divisor << shift;
      result += 1 << shift;
    }
  }
  return result;
}
