// Bundles the programs that tests start, in the same way as the programs of the package. With a TypeScript loader
// instead, each start would take four times as long.
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
    // Another process of this test run has already bundled this program.
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

/** A process and its output so far. */
export class Running {
  stdout = "";
  stderr = "";
  /** Standard output and standard error together, in the order in which they came. */
  output = "";
  readonly end: Promise<Ended>;
  #look = (): void => {};

  constructor(readonly child: ChildProcess) {
    for (const printed of ["stdout", "stderr"] as const) {
      child[printed]?.setEncoding("utf8").on("data", (text: string) => {
        this[printed] += text;
        this.output += text;
        this.#look();
      });
    }
    this.end = new Promise((resolve) => {
      child.on("close", (code, signal) => {
        const { stdout, stderr } = this;
        resolve({ code, signal, stdout, stderr });
      });
    });
  }

  /** Waits until the output matches. @throws Error if the process ends first */
  until(required: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        const match = required.exec(this.output);
        if (match) resolve(match);
      };
      void this.end.then(({ code }) =>
        reject(new Error(`ended with ${code} before ${required}:\n${this.output}`)),
      );
      this.#look();
    });
  }
}

export const ended = (child: ChildProcess): Promise<Ended> => new Running(child).end;
