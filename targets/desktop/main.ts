// npm start: the simulator. A usage error is printed in one line, with exit code 2.
import { runProgram } from "./command-line.ts";
import { readOptions } from "./options.ts";

await runProgram("picogrant", async () => {
  const options = readOptions(process.argv.slice(2));
  // Load this module late, so that an invalid option is reported at once.
  const { run } = await import("./run.ts");
  return await run(options);
});
