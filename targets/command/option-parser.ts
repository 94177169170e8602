// How each part of the command reads its options: one style of help, and mistakes in one line with exit code 2.

import { Command } from "commander";

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

// Which errors are a line for the person at the command line, and with which exit code the command then ends.

/** It came to nothing, and not by a mistake on the command line. Its message is one line. */
export class Failure extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, " ").trim());
    this.name = "Failure";
  }
}

/** By name: some of them are defined in more than one bundle. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  UsageError: 2,
  ConfigError: 2,
  ServerError: 2,
  StateDirectoryError: 2,
  StepError: 2,
  SignInError: 1,
  Failure: 1,
};

/** @throws the error itself where it is a fault of this program, for its stack to be seen */
export function exitCodeOf(error: unknown): number {
  const code = error instanceof Error ? EXIT_CODES[error.name] : undefined;
  if (code === undefined) throw error;
  return code;
}
