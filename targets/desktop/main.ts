// npm start: the simulated device, its service and the ways to watch them. Usage errors are one line and exit code 2.
import { runProgram } from "./command-line.ts";
import { readOptions } from "./options.ts";

await runProgram("picogrant", async () => {
  const options = readOptions(process.argv.slice(2));
  // Load this late: a wrong flag is reported at once.
  const { run } = await import("./run.ts");
  return await run(options);
});
