// Asks programs for their help, and once with an option that they do not know, one behind the other in one process: most
// of what a start costs is loading what they share. Arguments: their files. Output: a line of JSON, what each said and the
// code it would have ended with.
import { pathToFileURL } from "node:url";
import type { Ended } from "./program.ts";

type Said = Omit<Ended, "signal">;

/** What each program is asked with; its answers are under the same names. */
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
    // Under a name of its own a file is run once more.
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
