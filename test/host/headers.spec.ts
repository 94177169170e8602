// The headers and files of targets/host/portable in other people's programs: each header alone, as C99, C11 and C++17,
// the sources as C99 and with stricter flags than the host's own; and picogrant.c with its header alone; no warning.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { release } from "../../core/device/property.ts";
import type { Bytes } from "../../platform/contracts.ts";
import { languages, printerFor, slipBytes, slipIn } from "../../platform/display/index.ts";
import { Printer } from "../../targets/c-file/emit-c.ts";
import {
  generateC,
  sourcesOfNumbers as numbered,
  standaloneFiles,
} from "../../targets/workbench/host/generate.ts";

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

/** The two files of a firmware without an engine and without the host. */
let alone: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-headers-"));
  await generateC(folder);
  alone = join(folder, "alone");
  mkdirSync(alone);
  for (const [name, text] of Object.entries(await standaloneFiles())) {
    writeFileSync(join(alone, name), text);
  }
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
  const flags = ["-std=c99", ...STRICT, ...OF_C, `-I${portable}`, "-I."];
  expect(complaints("gcc", ...flags, "-fsyntax-only", portable + name)).toBe("");
});

describe("picogrant.c and picogrant.h alone, each build without a warning", () => {
  const builds = ["COMPLETE", "API", "GRANT"];
  it.each([
    ["gcc", []],
    ["clang", []],
    // No C library is needed.
    ["clang", ["--target=riscv32", "-march=rv32imac", "-ffreestanding"]],
  ] as const)("%s %j", (compiler, target) => {
    for (const build of builds) {
      const flags = ["-std=c99", "-Os", ...STRICT, ...OF_C, "-Wconversion", ...target];
      const out = ["-c", "-o", `${alone}/picogrant.o`, `${alone}/picogrant.c`];
      const own = `-DPICOGRANT_BUILD=PICOGRANT_${build}`;
      expect(complaints(compiler, ...flags, own, ...out), build).toBe("");
    }
  });

  it("a program in C++ links with it; only names that begin with pg_ are taken, and nothing has a place in RAM", () => {
    const program = `#include "picogrant.h"
#if PG_VERSION_NUMBER < 1
#error "there is no version"
#endif
static uint8_t memory[4096];
int main() {
  pg_core core;
  pg_core_config config = {};
  config.client_id = config.client_secret = config.scope = config.server = "";
  config.device_parameters = config.token_parameters = "";
  config.columns = 16;
  config.rows = 1;
  bool isRefused = pg_config_error(&config) == PG_CONFIG_MEMBER_ROWS;
  isRefused = isRefused && pg_core_open(&core, memory, sizeof memory, &config) == PG_OPEN_INVALID_CONFIG;
  config.rows = 2;
  isRefused = isRefused && pg_core_open(&core, memory, 1000, &config) == PG_OPEN_SMALL_MEMORY;
  return isRefused && pg_core_open(&core, memory, sizeof memory, &config) == PG_OPEN_OK ? 0 : 1;
}
`;
    const object = `${alone}/picogrant.o`;
    writeFileSync(join(alone, "main.cpp"), program);
    expect(complaints("gcc", "-c", "-o", object, `${alone}/picogrant.c`)).toBe("");
    const flags = ["-Wall", "-Wextra", "-Werror", `-I${alone}`, `${alone}/main.cpp`, object];
    expect(complaints("g++", ...flags, "-o", `${alone}/main`)).toBe("");
    expect(spawnSync(`${alone}/main`).status).toBe(0);
    const names = spawnSync("nm", [object], { encoding: "utf8" }).stdout.split("\n");
    const symbols = names.map((line) => line.slice(17).split(" ") as [string, string]);
    const isOurs = ([type, name]: [string, string]): boolean =>
      type !== "T" || name.startsWith("pg_");
    expect(symbols.filter((one) => !isOurs(one))).toEqual([]);
    expect(symbols.filter(([type]) => /^[bBC]$/.test(type))).toEqual([]);
    const called = symbols.filter(([type]) => type === "U").map(([, name]) => name);
    expect(
      called.filter(
        (name) => !/^(?:mem(?:cpy|set)|strlen|__stack_chk_fail|_GLOBAL_.*)$/.test(name),
      ),
    ).toEqual([]);
  });

  it("two makings are equal byte by byte", async () => {
    const { source } = new Printer(numbered).files();
    expect(source === (await standaloneFiles())["picogrant.c"]).toBe(true);
  });

  const RETURN = "  return result;\n}";
  it.each([
    ["return result / 2;", "the operator /"],
    ["return result >>> 1;", "the operator >>>"],
    ["return [result][0]!;", "ArrayLiteralExpression"],
    ["return (function () { return 1; })();", "this call"],
    ["try { result++; } finally { result--; }\nreturn result;", "TryStatement"],
    ["return Math.floor(result);", "the type Math"],
    ["if (result) { var late = 1; }\nreturn late!;", "a use outside of the block"],
    ["return result++ - result;", "an open order of evaluation"],
  ])("%j cannot be said in C: the line and the construct are named", (line, what) => {
    const change = (text: string): string => text.replace(RETURN, `  ${line}\n}`);
    const make = (): unknown => new Printer(numbered, change).files();
    expect(make).toThrow(`${what} cannot be said in C: `);
    expect(make).toThrow(/^core\/device\/digits\.ts:\d+: /);
  });

  it("a header of another release is a mistake that the compiler names", () => {
    const header = readFileSync(join(alone, "picogrant.h"), "utf8");
    const other = header.replace(`NUMBER ${release}\n`, "NUMBER 7\n");
    writeFileSync(join(folder, "picogrant.h"), other);
    const output = complaints("gcc", "-fsyntax-only", "-I-", `-I${folder}`, `${alone}/picogrant.c`);
    expect(output).toContain(`picogrant.c is of release ${release}, and picogrant.h of another`);
    rmSync(join(folder, "picogrant.h"));
  });
});

it("slip.h: a printer gets the bytes of picogrant-tools/display, and nothing where one has no room", () => {
  const prompt = { address: "https://a.example/~tv", code: "WDJB\x1b-\nMJHT", minutes: 15 };
  const slips = languages.flatMap((language) =>
    ["", "https://a.example/?code=WDJB-MJHT", "x".repeat(2331)].map((complete) => {
      const slip = slipIn(language, { ...prompt, complete });
      const heading = [...slip.heading, Buffer.of(), Buffer.from("\t2\x7f")];
      return { ...slip, heading, ...printerFor(language) };
    }),
  );
  const text = (output: string): string => `{"${output.replace(/./gs, octal)}", ${output.length}}`;
  const octal = (byte: string): string => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`;
  const latin1 = (bytes: Bytes): string => String.fromCharCode(...Array.from(bytes));
  const rows = slips.map(({ heading, between, footing, address, code, qr, ...its }) => {
    const lines = [heading, between, footing].map((all) => all.map(latin1).join("\n"));
    const texts = [...lines, latin1(address), latin1(code), qr].map(text);
    return `{${[...texts, its.codePage, its.moduleDots, its.feedLines]}}`;
  });
  const program = `#include <stdio.h>
#include "slip.h"
static const struct pg_slip slips[] = {${rows}};
int main(void) {
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    uint8_t buffer[4096];
    size_t size = pg_slip_write(&slips[i], buffer, sizeof buffer);
    if (pg_slip_write(&slips[i], buffer, size - 1) != 0) return 1;
    fwrite(buffer, 1, pg_slip_write(&slips[i], buffer, size), stdout);
  }
}
`;
  writeFileSync(join(folder, "printer.c"), program);
  expect(complaints("gcc", `-I${portable}`, "-o", "printer", "printer.c")).toBe("");
  const { stdout, status } = spawnSync(join(folder, "printer"));
  const expected = slips.map((one) => latin1(slipBytes(one, one))).join("");
  expect([status, stdout.toString("latin1")]).toEqual([0, expected]);
});

it('every header says extern "C"', () => {
  for (const name of headers)
    expect(readFileSync(portable + name, "utf8"), name).toContain('extern "C"');
});
