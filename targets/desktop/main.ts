// npm start: the simulated device, its service and the ways to look at them. Errors of the command line
// are one line and exit code 2.
import { StateDirectoryError } from "../../platform/node/index.ts";
import { readOptions } from "./options.ts";
import { run } from "./run.ts";
import { StepError } from "./steps.ts";
import { UsageError } from "./usage-error.ts";

async function main(): Promise<number> {
  try {
    return await run(readOptions(process.argv.slice(2)));
  } catch (error) {
    const known = [UsageError, StateDirectoryError, StepError].some(
      (kind) => error instanceof kind,
    );
    if (!known) throw error;
    process.stderr.write(`picogrant: ${(error as Error).message}\n`);
    return 2;
  }
}

// Not process.exit: what is still in a pipe would be cut off.
process.exitCode = await main();
