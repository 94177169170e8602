// Where these tests get their engines: a native `qjs`, and QuickJS-ng's where PICOGRANT_QJS_NG names one.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { buildQjs, findQjs, findQjsNg } from "../../scripts/native-quickjs.ts";
import { bundleProgram, type Program, programOptions } from "../../targets/quickjs/bundle.ts";

/** `[name, path]` of every engine that is there; where CI=true one is built if there is none. */
export function enginesHere(): [name: string, path: string][] {
  const engines: [string, string][] = [];
  const qjs = findQjs() ?? (process.env.CI === "true" ? buildQjs(() => {}) : undefined);
  if (qjs !== undefined) engines.push(["QuickJS", qjs]);
  const ng = findQjsNg();
  if (ng !== undefined) engines.push(["QuickJS-ng", ng]);
  return engines;
}

/** The line that tells why nothing was tested. */
export const NO_ENGINE = "no qjs here: run npm run qjs, or set PICOGRANT_QJS";

/** A folder of this test's own. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-quickjs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a program as the build makes it. */
export async function writeProgram(program: Program, folder: string): Promise<string> {
  const file = join(folder, `${program}.js`);
  writeFileSync(file, await bundleProgram(program));
  return file;
}

/** Bundles a program of the tests for qjs. */
export async function writeTestProgram(name: string, folder: string): Promise<string> {
  const file = join(folder, `${name}.js`);
  const entry = new URL(`${name}.ts`, import.meta.url).pathname;
  await build({ ...programOptions, entryPoints: [entry], outfile: file });
  return file;
}
