// npm start: the simulated device, its service and the ways to look at them. Errors of the command line
// are one line and exit code 2.
import { StateDirectoryError } from "../../platform/node/index.ts";
import { readOptions } from "./options.ts";
import { run } from "./run.ts";
import { UsageError } from "./usage-error.ts";

async function main(): Promise<number> {
  try {
    return await run(readOptions(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof StateDirectoryError)) throw error;
    process.stderr.write(`picogrant: ${error.message}\n`);
    return 2;
  }
}

// Not process.exit: what is still in a pipe would be cut off.
process.exitCode = await main();
