// The headers and files of targets/host/portable in other people's programs: each header alone, as C99, C11 and C++17,
// the sources as C99 and with stricter flags than the host's own; no warning.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numbersHeader } from "../../targets/workbench/host/generate.ts";

const host = fileURLToPath(new URL("../../targets/host/", import.meta.url));
const portable = `${host}portable/`;
const files = readdirSync(portable);
const headers = files.filter((name) => name.endsWith(".h"));
const sources = files.filter((name) => name.endsWith(".c"));
const STRICT = [
  "-pedantic",
  "-Wall",
  "-Wextra",
  "-Wshadow",
  "-Wundef",
  "-Wvla",
  "-Wcast-qual",
  "-Werror",
];
const OF_C = ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wwrite-strings", "-Wpointer-arith"];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-headers-"));
  writeFileSync(join(folder, "picogrant-numbers.h"), numbersHeader());
  // As generated, without the core itself.
  writeFileSync(join(folder, "core-code.h"), "#include <stddef.h>\n#include <stdint.h>\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a compiler complains of; "" for nothing. */
function complaints(compiler: string, ...args: readonly string[]): string {
  const { error, stderr, status } = spawnSync(compiler, args, { cwd: folder, encoding: "utf8" });
  if (error) throw error;
  return status === 0 ? stderr : stderr || `ended with ${status}`;
}

describe.each([
  ["gcc", "c99", "c", OF_C],
  ["gcc", "c11", "c", OF_C],
  ["g++", "c++17", "c++", []],
] as const)("%s -std=%s", (compiler, standard, language, more) => {
  it.each(headers)("%s alone, and twice", (name) => {
    const text = `#include "${name}"\n#include "${name}"\nint main(void) { return 0; }\n`;
    writeFileSync(join(folder, "alone.c"), text);
    const flags = [`-std=${standard}`, ...STRICT, ...more, `-I${portable}`, "-I."];
    expect(complaints(compiler, "-x", language, ...flags, "-fsyntax-only", "alone.c")).toBe("");
  });
});

it.each(sources)("%s as C99, with stricter flags", (name) => {
  const flags = ["-std=c99", ...STRICT, ...OF_C, `-I${portable}`, `-I${host}engines`, "-I."];
  expect(complaints("gcc", ...flags, "-fsyntax-only", portable + name)).toBe("");
});

it("a program in C++ knows the version", () => {
  const program = `#include "picogrant.h"
#if PG_VERSION_NUMBER < 1
#error "there is no version"
#endif
`;
  writeFileSync(join(folder, "version.cpp"), program);
  const flags = ["-std=c++17", `-I${portable}`, "-I."];
  expect(complaints("g++", ...flags, "-fsyntax-only", "version.cpp")).toBe("");
});

it('every header says extern "C"', () => {
  for (const name of headers)
    expect(readFileSync(portable + name, "utf8"), name).toContain('extern "C"');
});
