// Runs programs with --help and with an unknown option, one after the other in one process, because most of a start is
// loading shared modules. Arguments: their files. Output: a line of JSON with each program's output and exit code.
import { pathToFileURL } from "node:url";
import type { Ended } from "./program.ts";

type Said = Omit<Ended, "signal">;

/** The option of each run; results have the same names. */
const OPTIONS = { help: "--help", wrong: "--nonsense" } as const;
export type Answers = Record<keyof typeof OPTIONS, Said>;

class Exit {
  constructor(readonly code: number) {}
}

const write = process.stdout.write.bind(process.stdout);
process.exit = (code) => {
  throw new Exit(Number(code ?? 0));
};

async function ask(file: string, option: string): Promise<Said> {
  const ended: Said = { code: 0, stdout: "", stderr: "" };
  process.argv = [process.execPath, file, option];
  for (const stream of ["stdout", "stderr"] as const) {
    process[stream].write = (text) => {
      ended[stream] += text;
      return true;
    };
  }
  try {
    // A query makes Node load the file again.
    await import(`${pathToFileURL(file).href}?${option}`);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    ended.code = error.code;
  }
  return ended;
}

const answers: Record<string, Answers> = {};
for (const file of process.argv.slice(2)) {
  answers[file] = { help: await ask(file, OPTIONS.help), wrong: await ask(file, OPTIONS.wrong) };
}
write(`${JSON.stringify(answers)}\n`);
