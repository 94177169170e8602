// Runs the simulator in a process of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../listening.ts";
import { bundledProgram, type Ended, ended } from "../program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = await bundledProgram("targets/desktop/main.ts");

export function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], { cwd: ROOT, env: { ...process.env, ...env } });
}

export function run(...args: string[]): Promise<Ended> {
  return ended(start(args));
}

export function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  return use(temporaryFolder());
}
