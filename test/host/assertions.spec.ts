// Assertions of the C host (targets/host/portable/assertion.h): the release contains none.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "../../targets/workbench/engines/install.ts";
import { generatedC } from "../../targets/workbench/host/build.ts";
import { numbersHeader } from "../../targets/workbench/host/generate.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const portable = `${root}targets/host/portable`;

const sources = (): [file: string, text: string][] =>
  readdirSync(portable)
    .filter((name) => name.endsWith(".c"))
    .map((name) => [name, readFileSync(`${portable}/${name}`, "utf8")]);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-assertions-"));
  writeFileSync(join(folder, "picogrant-numbers.h"), numbersHeader());
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function objectOf(name: string, text: string, ...flags: readonly string[]): Buffer {
  const source = join(folder, "objects", name);
  mkdirSync(join(folder, "objects"), { recursive: true });
  writeFileSync(source, text);
  const includes = [`-I${portable}`, `-I${generatedC}`];
  run("gcc", ["-std=gnu11", "-Os", ...flags, ...includes, "-c", "-o", `${source}.o`, source]);
  return readFileSync(`${source}.o`);
}

const ASSERTION = /^ *PG_MUST\([^;]*?"([^"]+)"\);\n/gm;

it("the release is compiled to the same bytes with and without them", () => {
  for (const [name, text] of sources()) {
    const without = text.replace(ASSERTION, "");
    expect(without).not.toContain("PG_MUST");
    const shipped = objectOf(name, text);
    expect(shipped.equals(objectOf(name, without)), name).toBe(true);
    if (without === text) continue;
    expect(objectOf(name, text, "-DPG_ASSERTIONS").length, name).toBeGreaterThan(shipped.length);
  }
});
