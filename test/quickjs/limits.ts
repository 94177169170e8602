// Limits for what a test waits for from another process: it is killed, and the failure says at which step.
// What is waited for is decided by the tests.

import { type ChildProcess, spawn } from "node:child_process";
import { PATIENCE_MS } from "../patience.ts";

interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Waits for `outcome`, or kills the process and says which step it was.
 * @param said what the process has told so far, for the failure's message
 */
export function within<T>(
  step: string,
  child: ChildProcess,
  outcome: Promise<T>,
  said: () => string,
  limitMs: number = PATIENCE_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${step}: nothing within ${limitMs} ms, killed. It said: ${said()}`));
    }, limitMs);
    outcome.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}

/** Runs a program to its end, without anything on its standard input. */
export function runToEnd(
  step: string,
  program: string,
  args: readonly string[],
  limitMs?: number,
): Promise<Finished> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
  return within(step, child, finished, () => stdout + stderr, limitMs);
}
