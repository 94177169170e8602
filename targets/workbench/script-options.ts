// How each script reads its command line: --help, and mistakes in one line with exit code 2.

import { Command } from "commander";
import { TOOLS } from "./tool-list.ts";

/** The command line of a script of package.json or of a tool, to be given its options and parsed. */
export function commandLine(name: string, description: string): Command {
  return new Command(name in TOOLS ? `npm run tool -- ${name}` : `npm run ${name} --`)
    .description(description)
    .allowExcessArguments(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}
