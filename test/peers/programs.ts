// Programs that others wrote and Debian has. The gate installs them; elsewhere their tests wait until somebody does.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

export const PYTHON = "/usr/bin/python3";

/** Whether tests of what is not there are left out. */
export function isMissing(file: string): boolean {
  return process.env.CI !== "true" && !existsSync(file);
}

/** A program's output. It gets its input, and then the end of it. */
export function run(
  program: string,
  args: readonly string[],
  input = "",
  env: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string }> {
  const running = promisify(execFile)(program, args, { env: { ...process.env, ...env } });
  running.child.stdin?.end(input);
  return running;
}
