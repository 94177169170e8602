// npm start: the simulator.
import { runProgram } from "./command-line.ts";
import { readOptions } from "./options.ts";

await runProgram("picogrant", async () => {
  const options = readOptions(process.argv.slice(2));
  // This module loads slowly, and an invalid option should be reported at once.
  const { run } = await import("./run.ts");
  return await run(options);
});
