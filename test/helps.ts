// Asks programs for their help, one behind the other in one process: most of what a start costs is loading what they
// share. Arguments: their files. Output: a line of JSON, what each said and the code it would have ended with.
import { pathToFileURL } from "node:url";

/** How a program ended, and what it said. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

class Exit {
  constructor(readonly code: number) {}
}

const write = process.stdout.write.bind(process.stdout);
const helps: Record<string, Ended> = {};
process.exit = (code) => {
  throw new Exit(Number(code ?? 0));
};
for (const file of process.argv.slice(2)) {
  const ended: Ended = { code: 0, stdout: "", stderr: "" };
  helps[file] = ended;
  process.argv = [process.execPath, file, "--help"];
  for (const stream of ["stdout", "stderr"] as const) {
    process[stream].write = (text) => {
      ended[stream] += text;
      return true;
    };
  }
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    ended.code = error.code;
  }
}
write(`${JSON.stringify(helps)}\n`);
