// Runs programs with --help and with an unknown option, all in one process, because each process would load the shared
// modules again. The arguments are the programs' files. Prints a line of JSON with each program's output and exit code.
import { pathToFileURL } from "node:url";
import type { Ended } from "./program.ts";

type Output = Omit<Ended, "signal">;

/** The option of each run. The results use the same keys. */
const OPTIONS = { help: "--help", wrong: "--hlep" } as const;
export type Responses = Record<keyof typeof OPTIONS, Output>;

class Exit {
  constructor(readonly code: number) {}
}

const write = process.stdout.write.bind(process.stdout);
process.exit = (code) => {
  throw new Exit(Number(code ?? 0));
};

async function request(file: string, option: string): Promise<Output> {
  const ended: Output = { code: 0, stdout: "", stderr: "" };
  process.argv = [process.execPath, file, option];
  for (const stream of ["stdout", "stderr"] as const) {
    process[stream].write = (text) => {
      ended[stream] += text;
      return true;
    };
  }
  try {
    // A different query makes Node load the file again.
    await import(`${pathToFileURL(file).href}?${option}`);
    ended.code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    ended.code = error.code;
  }
  process.exitCode = 0;
  return ended;
}

const responses: Record<string, Responses> = {};
for (const file of process.argv.slice(2)) {
  responses[file] = {
    help: await request(file, OPTIONS.help),
    wrong: await request(file, OPTIONS.wrong),
  };
}
write(`${JSON.stringify(responses)}\n`);
