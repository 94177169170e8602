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
