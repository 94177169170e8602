// How each script reads its command line: --help, and mistakes in one line with exit code 2.

import { Command } from "commander";

/** The command line of one script of package.json, to be given its options and parsed. */
export function commandLine(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .allowExcessArguments(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}
