// Where these tests get their engines, a native `qjs` of QuickJS and one of QuickJS-ng, and the programs.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { bundleProgram, programOptions } from "../../targets/quickjs/bundle-program.ts";
import { findQjs } from "../../targets/workbench/engines/native-quickjs.ts";
import { findQjsNg } from "../../targets/workbench/engines/native-quickjs-ng.ts";

/**
 * `[name, path]` of both engines. PICOGRANT_QJS and PICOGRANT_QJS_NG name others than those of npm run tool -- qjs.
 * @throws Error where one is missing: a test that is left out would look like one that passed
 */
export function enginesHere(): [name: string, path: string][] {
  const engines: [name: string, path: string | undefined][] = [
    ["QuickJS", findQjs()],
    ["QuickJS-ng", findQjsNg()],
  ];
  return engines.map(([name, path]) => {
    if (path === undefined)
      throw new Error(`no qjs of ${name} here: npm run tool -- qjs builds it`);
    return [name, path];
  });
}

/** A folder of this test's own. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-quickjs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes the device program as the build makes it. */
export async function writeProgram(folder: string): Promise<string> {
  const file = join(folder, "main.js");
  writeFileSync(file, await bundleProgram());
  return file;
}

/** Bundles a program of the tests for qjs. */
export async function writeTestProgram(name: string, folder: string): Promise<string> {
  const file = join(folder, `${name}.js`);
  const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  await build({ ...programOptions, entryPoints: [entry], outfile: file });
  return file;
}
