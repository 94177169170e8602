// Values on a command line that many commands take.

import { InvalidArgumentError } from "commander";

/** `name=value`, once or several times. */
export function readPair(
  text: string,
  before: Record<string, string> = {},
): Record<string, string> {
  const [, name, value] = /^([A-Za-z0-9_.-]{1,64})=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It is a name, =, and a value.");
  return { ...before, [name]: value! };
}

/** Reads an option that is an integer from `min` to `max`; without `max` it is a count or a seed. */
export function integer(min: number, max = 2 ** 32 - 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It is an integer from ${min} to ${max}.`);
    }
    return value;
  };
}

/** 0 lets the system choose. */
export const readPort = integer(0, 65_535);
