// The scripts of package.json as a newcomer meets them: --help, and mistakes in one line.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
  scripts: Record<string, string>;
};

/** The scripts that are programs of ours, with their files. */
const programs = Object.entries(scripts).flatMap(([name, line]) => {
  const file = /^tsx (\S+)$/.exec(line)?.[1];
  return file === undefined ? [] : [[name, file] as const];
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(file: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], { cwd: ROOT });
  const ended = { stdout: "", stderr: "" };
  child.stdout.on("data", (data) => {
    ended.stdout += data;
  });
  child.stderr.on("data", (data) => {
    ended.stderr += data;
  });
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, ...ended }));
  });
}

describe.concurrent("npm run", () => {
  test("package.json has programs", () => expect(programs.length).toBeGreaterThan(10));

  test.each(programs)("%s --help says what there is, and does nothing", async (name, file) => {
    const { code, stdout, stderr } = await run(file, "--help");
    expect(stderr).toBe("");
    expect(stdout).toContain(name === "start" ? "npm start -- " : `npm run ${name} -- `);
    expect(stdout).toContain("--help");
    expect(code).toBe(0);
  });

  test.each(programs)("%s: a wrong option is one line and exit code 2", async (name, file) => {
    const { code, stdout, stderr } = await run(file, "--nonsense");
    expect(stderr).toMatch(/^[^\n]*unknown option '--nonsense'[^\n]*\n$/);
    expect(stderr).toMatch(new RegExp(`^${name === "start" ? "picogrant" : name}: `));
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });
});

test.each([
  ["engines", ["--only", "abacus"], /no engine is called abacus; there are /],
  ["lives", ["--only", "1"], /--only goes with --seed/],
  ["lives", ["--lives", "0"], /an integer from 1 to/],
  ["fuzz", ["--target", "abacus"], /there is no target "abacus"; choose of response/],
  ["mutation", ["core/abacus.ts"], /core\/abacus\.ts is no file of the core/],
  [
    "fleet",
    ["--out", "package.json/x"],
    /--out package\.json\/x: pictures cannot be written there/,
  ],
  // Node's own recursive mkdir would try for ever in the next two places.
  ["fleet", ["--out", "/proc/x"], /--out \/proc\/x: pictures cannot be written there/],
  ["fleet", ["--out", "/proc/x/deep"], /--out \/proc\/x\/deep: pictures cannot be written there/],
  ["scenarios", ["abacus"], /there is no scenario abacus; choose one of /],
])("npm run %s -- %j is a mistake: one line and exit code 2", async (name, args, message) => {
  const file = programs.find(([known]) => known === name)![1];
  const { code, stdout, stderr } = await run(file, ...args);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(new RegExp(`^${name}: [^\n]*\n$`));
  expect(stdout).toBe("");
  expect(code).toBe(2);
});
