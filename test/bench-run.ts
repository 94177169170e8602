// Runs the bench (`picogrant conform --device`) as a process.

import { spawn } from "node:child_process";
import { bundledProgram } from "./program.ts";

/** How the bench tells these devices to call the API and to sign out. */
export const KEYS = ["--call", "> a", "--sign-out", "> o"];

export async function bench(...args: string[]): Promise<{ status: number | null; output: string }> {
  const words = [await bundledProgram("targets/command/main.ts"), "conform", ...args];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const printed of [child.stdout, child.stderr]) {
    printed.on("data", (text: Buffer) => {
      output += text;
    });
  }
  const status = await new Promise<number | null>((done) => child.once("close", done));
  return { status, output };
}
