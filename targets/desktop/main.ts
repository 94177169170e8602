// npm start: the simulator.
import { runProgram } from "./command-line.ts";
import { readOptions } from "./options.ts";

await runProgram("picogrant", async () => {
  const options = readOptions(process.argv.slice(2));
  // Load run.ts after the options are checked, because it loads slowly.
  const { run } = await import("./run.ts");
  return await run(options);
});
