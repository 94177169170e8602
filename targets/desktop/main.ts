// npm start: the simulated device, its service and the ways to look at them. Errors of the command line
// are one line and exit code 2.
import { readOptions } from "./options.ts";

/** Errors that the person at the command line can put right, each with one line. */
const FOR_THE_USER = ["UsageError", "StateDirectoryError", "StepError"];

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    // Only now: a mistake in a flag should not wait for all of it.
    const { run } = await import("./run.ts");
    return await run(options);
  } catch (error) {
    if (!(error instanceof Error) || !FOR_THE_USER.includes(error.name)) throw error;
    process.stderr.write(`picogrant: ${error.message}\n`);
    return 2;
  }
}

// Not process.exit: what is still in a pipe would be cut off.
process.exitCode = await main();
