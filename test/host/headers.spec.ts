// Compiles the headers and files of targets/host/portable as other programs do, without warnings: each header alone,
// with every compiler and standard below, after all headers of libraries that firmware uses, and as one unit.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { release } from "../../core/device/property.ts";
import { Printer } from "../../targets/c-file/emit-c.ts";
import {
  generateC,
  sourcesOfNumbers as numbered,
  standaloneFiles,
} from "../../targets/workbench/host/generate.ts";
import faults from "../../targets/workbench/host/planted-faults.json" with { type: "json" };
import { temporaryFolder } from "../listening.ts";

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
let alone: string;

beforeAll(async () => {
  folder = temporaryFolder();
  await generateC(folder);
  alone = join(folder, "alone");
  mkdirSync(alone);
  for (const [name, text] of Object.entries(await standaloneFiles())) {
    writeFileSync(join(alone, name), text);
  }
});

function complaints(compiler: string, ...args: readonly string[]): string {
  const { error, stderr, status } = spawnSync(compiler, args, { cwd: folder, encoding: "utf8" });
  if (error) throw error;
  return status === 0 ? stderr : stderr || `ended with ${status}`;
}

/** Each compiler must accept each standard without a warning. */
const STANDARDS = ["c99", "c11", "c17", "c2x", "c++11", "c++14", "c++17", "c++20", "c++2b"];
const MATRIX = ["gcc", "clang"].flatMap((compiler) =>
  STANDARDS.map((standard) => ({ compiler, standard })),
);

function program(name: string, ...lines: readonly string[]): string {
  writeFileSync(join(folder, name), `${lines.join("\n")}\nint main(void) { return 0; }\n`);
  return name;
}

const include = (name: string): string => `#include "${name}"`;

it.each(headers)("%s alone, and twice", (name) => {
  const file = program("alone.c", include(name), include(name));
  const flags = ["-std=c99", ...STRICT, ...OF_C, `-I${portable}`, "-I."];
  expect(complaints("gcc", ...flags, "-fsyntax-only", file)).toBe("");
  expect(readFileSync(portable + name, "utf8")).toContain('extern "C"');
});

it.each(MATRIX)(
  "$compiler -std=$standard: all headers together, and picogrant.h alone",
  ({ compiler, standard }) => {
    const language = standard.includes("+") ? "c++" : "c";
    const flags = ["-x", language, `-std=${standard}`, ...STRICT, "-fsyntax-only"];
    if (language === "c") flags.push(...OF_C);
    const all = program("all.c", ...headers.map(include));
    expect(complaints(compiler, ...flags, `-I${portable}`, "-I.", all)).toBe("");
    flags.push("-Wconversion", `-I${alone}`);
    const single = program("single.c", include("picogrant.h"));
    expect(complaints(compiler, ...flags, single)).toBe("");
    for (const build of language === "c" ? ["COMPLETE", "API", "GRANT"] : []) {
      // Some warnings come from the optimizer, so generate code too. This needs no C library.
      const own = ["-Os", "-ffreestanding", `-DPICOGRANT_BUILD=PICOGRANT_${build}`, "-c"];
      if (compiler === "clang" && standard === "c11") own.push("--target=riscv32");
      const source = ["-o", "picogrant.o", `${alone}/picogrant.c`];
      const used = flags.filter((flag) => flag !== "-fsyntax-only");
      expect(complaints(compiler, ...used, ...own, ...source), build).toBe("");
    }
  },
);

/** These headers are left out: for another machine, for internal use, or to be written by the firmware itself. */
const MISFIT =
  /\/(?:bits|gnu|asm|finclude|net\w{3,}|nfs|protocols|priv|rpc|scsi|compat|posix|arch)\/|_alt|config|opts|platform_time|regexp|elf|vm86/;

it.each([
  ["libc and mbedTLS", ["libc6-dev", "libmbedtls-dev"]],
  // lwIP defines macros with the names of socket functions, such as close.
  ["lwIP and mbedTLS", ["liblwip-dev", "libmbedtls-dev"]],
])("picogrant.c after every header of %s", (_, packages) => {
  const { stdout } = spawnSync("dpkg", ["-L", ...packages], { encoding: "utf8" });
  const found = stdout.split("\n").filter((name) => name.endsWith(".h") && !MISFIT.test(name));
  const all = found.map((name) => name.replace(/^\/usr\/include\/(?:lwip\/|\w+-linux-\w+\/)?/, ""));
  expect(all.length).toBeGreaterThan(100);
  const file = program("behind.c", ...all.map(include), include("picogrant.c"));
  const flags = ["-std=gnu11", "-D_GNU_SOURCE", `-I${alone}`, "-isystem/usr/include/lwip", "-w"];
  for (const compiler of ["gcc", "clang"])
    expect(complaints(compiler, ...flags, "-fsyntax-only", file)).toBe("");
});

it.each([
  ["", []],
  [" with keys", ["-DPG_KEYS", "-lcrypto"]],
])(
  "core and host%s as one unit with link-time optimization, and portable files as C99",
  (_, keys) => {
    const posix = `${host}ports/posix/`;
    const ports = readdirSync(posix).filter((name) => name.endsWith(".c"));
    const all = [...sources.map((name) => portable + name), ...ports.map((name) => posix + name)];
    const flags = ["-std=gnu11", ...STRICT, ...OF_C, `-I${portable}`, `-I${posix}`, "-I.", ...keys];
    writeFileSync(join(folder, "unit.c"), ["./picogrant.c", ...all].map(include).join("\n"));
    expect(complaints("gcc", ...flags, "-fsyntax-only", "unit.c")).toBe("");
    const linked = ["-flto=auto", "-Os", "picogrant.c", ...all, "-lcurl", "-lsodium", ...keys];
    expect(complaints("gcc", ...flags, ...linked, "-o", "host")).toBe("");
    const alike = sources.map((name) => portable + name);
    expect(complaints("gcc", ...flags, "-std=c99", "-fsyntax-only", ...alike)).toBe("");
  },
);

it("the host is compiled to the same bytes with and without its assertions, and each has a planted fault", () => {
  const objectOf = (name: string, text: string, ...flags: readonly string[]): Buffer => {
    writeFileSync(join(folder, name), text);
    const all = ["-std=gnu11", "-Os", ...flags, `-I${portable}`, "-I.", "-c", "-o", "object.o"];
    expect(complaints("gcc", ...all, name)).toBe("");
    return readFileSync(join(folder, "object.o"));
  };
  const unproved = new Set<string>();
  for (const name of sources) {
    const text = readFileSync(portable + name, "utf8");
    const without = text.replace(/^ *PG_MUST\([^;]*?"([^"]+)"\);\n/gm, (_, rule) => {
      if (!faults.some(({ finding }) => finding === rule)) unproved.add(rule);
      return "";
    });
    expect(without).not.toContain("PG_MUST");
    const shipped = objectOf(name, text);
    expect(shipped.equals(objectOf(name, without)), name).toBe(true);
    if (without === text) continue;
    expect(objectOf(name, text, "-DPG_ASSERTIONS").length, name).toBeGreaterThan(shipped.length);
  }
  expect([...unproved], "assertions without a planted fault").toEqual([]);
});

describe("picogrant.c and picogrant.h alone", () => {
  it("a C++ program links with it; all names begin with pg_, and it uses no RAM of its own", () => {
    const program = `#include "picogrant.h"
static uint8_t memory[4096];
int main() {
  pg_core core;
  pg_core_config config = {};
  if (pg_config_error(&config) != PG_CONFIG_MEMBER_CLIENT_ID) return 2;
  config.client_id = config.server = "";
  config.columns = 16;
  config.rows = 1;
  bool isRefused = pg_config_error(&config) == PG_CONFIG_MEMBER_ROWS;
  isRefused = isRefused && pg_core_open(&core, memory, sizeof memory, &config) == PG_OPEN_INVALID_CONFIG;
  config.rows = 2;
  isRefused = isRefused && pg_core_open(&core, memory, 1000, &config) == PG_OPEN_SMALL_MEMORY;
  if (!isRefused || pg_core_open(&core, memory, pg_get(&core, PG_MEMORY_NEEDED), &config) != PG_OPEN_OK) return 1;
  pg_set_status(&core, nullptr);
  return 0;
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
      type === "T" ? name.startsWith("pg_") : !/^[bBC]$/.test(type);
    expect(symbols.filter((one) => !isOurs(one))).toEqual([]);
    const called = symbols.filter(([type]) => type === "U").map(([, name]) => name);
    const ofCompiler = /^(?:mem(?:cpy|set)|strlen|__stack_chk_fail|_GLOBAL_.*)$/;
    expect(called.filter((name) => !ofCompiler.test(name))).toEqual([]);
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
  ])("%j has no equivalent in C: the error names line and construct", (line, what) => {
    const change = (text: string): string => text.replace(RETURN, `  ${line}\n}`);
    const make = (): unknown => new Printer(numbered, change).files();
    expect(make).toThrow(`${what} cannot be said in C: `);
    expect(make).toThrow(/^core\/device\/digits\.ts:\d+: /);
  });

  it.each([
    ["a header of another release", [], `picogrant.c is of release ${release}, and picogrant.h`],
    ["an unknown build", ["-DPICOGRANT_BUILD=PICOGRANT_ALL"], "PICOGRANT_BUILD is none of"],
    ["an int of 16 bits", ["--target=msp430", "-ffreestanding"], "needs an int of 32 bits"],
  ])("the compiler reports %s", (what, flags, words) => {
    const header = readFileSync(join(alone, "picogrant.h"), "utf8");
    const isOther = what.includes("release");
    const other = isOther ? header.replace(`NUMBER ${release}\n`, "NUMBER 7\n") : header;
    const place = mkdtempSync(join(folder, "other-"));
    writeFileSync(join(place, "picogrant.h"), other);
    writeFileSync(join(place, "picogrant.c"), readFileSync(join(alone, "picogrant.c")));
    expect(complaints("clang", "-fsyntax-only", ...flags, `${place}/picogrant.c`)).toContain(words);
  });
});

it("slip.h: a printer gets the slip in ESC/POS, without control characters, or nothing if it does not fit", () => {
  const qrs = ["", "https://a.example/?code=WDJB-MJHT", "x".repeat(2331)];
  const text = (content: string): string =>
    `{"${content.replace(/./gs, octal)}", ${content.length}}`;
  const octal = (byte: string): string => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`;
  const rows = qrs.map((qr) => {
    const lines = ["To sign in\n\n\t2\x7f", "and enter", "", "https://a.example/~tv"];
    return `{${[...lines, "WDJB\x1b-\nMJHT", qr].map(text)}, 19, 6, 4}`;
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
  const expected = qrs.map((qr) => {
    const size = String.fromCharCode((qr.length + 3) & 255, (qr.length + 3) >> 8);
    const code = `\n\x1d(k\x04\x001A2\x00\x1d(k\x03\x001C\x06\x1d(k\x03\x001E1\x1d(k${size}1P0${qr}\x1d(k\x03\x001Q0`;
    const texts =
      "To sign in\n\n2\nhttps://a.example/~tv\n\nand enter\n\x1d!\x11WDJB-MJHT\n\x1d!\x00";
    return `\x1b@\x1bt\x13\x1ba\x01${texts}${qr && code}\x1bd\x04\x1dVB\x00`;
  });
  expect([status, stdout.toString("latin1")]).toEqual([0, expected.join("")]);
});
