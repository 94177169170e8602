// Bundles programs for tests that start them, like those of the package. Starting them with a TypeScript loader would
// take four times as long, and would be most of these tests' time.
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { bundleModules } from "../targets/workbench/package/bundle-entries.ts";
import type {} from "./programs-folder.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const known = new Map<string, Promise<string>>();

/**
 * @param entry the main file, such as `targets/command/main.ts`
 * @returns the file for Node, which exists until the test run ends
 */
export function bundledProgram(entry: string): Promise<string> {
  const program = known.get(entry) ?? bundled(entry);
  known.set(entry, program);
  return program;
}

async function bundled(entry: string): Promise<string> {
  const folder = inject("programsFolder");
  const place = path.join(folder, entry.replaceAll(/\W/g, "-"));
  const made = mkdtempSync(`${place}-`);
  await bundleModules(path.join(ROOT, entry), made);
  try {
    renameSync(made, place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    // Another process of the same run has bundled it first.
    rmSync(made, { recursive: true });
  }
  return path.join(place, "main.js");
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export function ended(child: ChildProcess): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  for (const printed of ["stdout", "stderr"] as const) {
    child[printed]?.setEncoding("utf8").on("data", (text: string) => {
      output[printed] += text;
    });
  }
  return new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, ...output }));
  });
}
