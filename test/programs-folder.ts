// Creates the folder for the programs that a test run starts (program.ts), and deletes it after the run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    programsFolder: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-programs-"));
  project.provide("programsFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
