// How each script reads its command line: --help, and mistakes in one line with exit code 2.

import { Command, InvalidArgumentError } from "commander";
import { TOOLS } from "./tool-list.ts";

/** The command line of a script of package.json or of a tool, to be given its options and parsed. */
export function commandLine(name: string, description: string): Command {
  return new Command(name in TOOLS ? `npm run tool -- ${name}` : `npm run ${name} --`)
    .description(description)
    .allowExcessArguments(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}

/** Reads an option that is an integer from `min` to 4294967295: a count or a seed. */
export function integer(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > 2 ** 32 - 1) {
      throw new InvalidArgumentError(`It is an integer from ${min} to 4294967295.`);
    }
    return value;
  };
}
