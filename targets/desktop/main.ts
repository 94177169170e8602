// npm start: the simulated device, its service and the ways to watch them. Usage errors are one line and exit code 2.
import { readOptions } from "./options.ts";

/** Usage errors, each with one line. */
const FOR_THE_USER = ["UsageError", "StateDirectoryError", "StepError"];

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    // Load this late: a wrong flag is reported at once.
    const { run } = await import("./run.ts");
    return await run(options);
  } catch (error) {
    if (!(error instanceof Error) || !FOR_THE_USER.includes(error.name)) throw error;
    process.stderr.write(`picogrant: ${error.message}\n`);
    return 2;
  }
}

// Not process.exit: that would cut off data in a pipe.
process.exitCode = await main();
