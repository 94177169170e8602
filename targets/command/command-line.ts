// How each part of the command reads its options: one style of help, and mistakes in one line with exit code 2.

import { Command, InvalidArgumentError } from "commander";

/** The command line of `picogrant NAME`, to be given its options and parsed. */
export function commandLine(name: string, description: string): Command {
  return new Command(`picogrant ${name}`)
    .description(description)
    .allowExcessArguments(false)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, `picogrant ${name}: `)),
    })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}

/** `name=value`, once or several times. */
export function readPair(
  text: string,
  before: Record<string, string> = {},
): Record<string, string> {
  const [, name, value] = /^([A-Za-z0-9_.-]{1,64})=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It is a name, =, and a value.");
  return { ...before, [name]: value! };
}

/** Reads an option that is an integer from `min` to `max`. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It is an integer from ${min} to ${max}.`);
    }
    return value;
  };
}
