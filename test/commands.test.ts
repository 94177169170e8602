// Runs the scripts of package.json and the tools with --help, and with mistakes, which they report in one line.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { TOOLS } from "../targets/workbench/tool-list.ts";
import { bundledProgram, type Ended, ended } from "./program.ts";
import type { Responses } from "./run-programs.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
  scripts: Record<string, string>;
};

/** The programs of this repository (scripts and tools), each with its file and its command. */
const programs = [
  ...Object.entries(scripts).flatMap(([name, line]) => {
    const file = /^tsx (\S+)$/.exec(line)?.[1];
    const call = name === "start" ? "npm start --" : `npm run ${name} --`;
    return file === undefined ? [] : [[name, file, call] as const];
  }),
  ...Object.entries(TOOLS).flatMap(([name, { program }]) =>
    program === undefined ? [] : [[name, program, `npm run tool -- ${name}`] as const],
  ),
];
/** The programs except `tool` and `picogrant`, which pass their arguments on to other programs. */
const own = programs.filter(([name]) => name !== "tool" && name !== "picogrant");

function run(file: string, ...args: string[]): Promise<Ended> {
  return start("--import", "tsx", file, ...args);
}

function start(...args: string[]): Promise<Ended> {
  return ended(spawn(process.execPath, args, { cwd: ROOT }));
}

/** The output of all programs, from one process. Tests below start some of them separately. */
const responses = run("test/run-programs.ts", ...own.map(([, file]) => file)).then(
  ({ stdout, stderr }) => {
    if (stderr !== "") throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, Responses>;
  },
);

describe.concurrent("npm run", () => {
  test("package.json has programs", () => expect(programs.length).toBeGreaterThan(10));

  test("package.json has at most sixteen scripts", () => {
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(16);
  });

  test("the files of each tool exist, and no tool has the name of a script", () => {
    for (const [name, { program, tests = [] }] of Object.entries(TOOLS)) {
      expect(Object.hasOwn(scripts, name), name).toBe(false);
      const files = [...tests, program ?? "."].filter((word) => !word.startsWith("--"));
      for (const file of files) expect(existsSync(ROOT + file), file).toBe(true);
    }
  });

  test("tool lists every tool, and rejects a wrong name in one line", async () => {
    const { code, stdout, stderr } = await run("scripts/tool.ts");
    expect([code, stderr]).toEqual([0, ""]);
    for (const name of Object.keys(TOOLS)) expect(stdout).toMatch(RegExp(`^  ${name} +\\S`, "m"));
    expect(await run("scripts/tool.ts", "abacus")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "tool: there is no tool abacus; npm run tool lists them\n",
    });
  });

  test("tool passes on options and the exit code", async () => {
    const { code, stderr } = await run("scripts/tool.ts", "model", "--nonsense");
    expect(stderr).toContain("unknown option '--nonsense'");
    expect(code).toBe(2);
  });

  test.each(own)("%s --help lists its options and does nothing else", async (_, file, call) => {
    const { code, stdout, stderr } = (await responses)[file]!.help;
    expect(stderr).toBe("");
    expect(stdout).toContain(`Usage: ${call} `);
    expect(stdout).toContain("--help");
    expect(code).toBe(0);
  });

  test.each(own)("%s: a wrong option is one line and exit code 2", async (name, file) => {
    const { code, stdout, stderr } = (await responses)[file]!.wrong;
    expect(stderr).toMatch(/^[^\n]*unknown option '--hlep' \(Did you mean --help\?\)\n$/);
    expect(stderr).toMatch(new RegExp(`^${name === "start" ? "picogrant" : name}: `));
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });
});

function commandsOfPages(): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  const note = (program: string, words: string, page: string): void => {
    const options = found.get(program) ?? new Map<string, string>();
    for (const [option] of words.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)) options.set(option, page);
    found.set(program, options);
  };
  // A command ends with its line or code span, or before `#`, `&` or `|`. A backslash continues it on the next line.
  const rest = /((?:\\\n|[^`\n#&|])*)/.source;
  const folders = ["", "core", "platform", "targets", "test", "scripts"];
  const pages = folders.flatMap((folder) => {
    const names = readdirSync(path.join(ROOT, folder), {
      encoding: "utf8",
      recursive: folder !== "",
    });
    return names.filter((name) => name.endsWith(".md")).map((name) => path.join(folder, name));
  });
  for (const page of pages) {
    const text = readFileSync(path.join(ROOT, page), "utf8");
    for (const [, tool, name = tool, words] of text.matchAll(
      RegExp(`npm (?:run )?(?:tool -- ([a-z-]+)|([a-z:-]+) -- )${rest}`, "g"),
    ))
      if (TOOLS[name!]?.tests === undefined) note(name!, words!, page);
    for (const [, name, words] of text.matchAll(RegExp(`npx picogrant ([a-z-]+)\\b${rest}`, "g")))
      note(`picogrant ${name}`, words!, page);
  }
  return found;
}

const ofPages = [...commandsOfPages()];

describe.concurrent("commands that pages show", () => {
  test("the test finds commands", () => expect(ofPages.length).toBeGreaterThan(15));

  test.each(ofPages)("%s has the options that pages use", async (program, options) => {
    const file = programs.find(([name]) => name === program)?.[1];
    const part = /^picogrant (\S+)$/.exec(program)?.[1];
    expect([program, file ?? part]).not.toContain(undefined);
    const help = options.has("--device") ? ["--device", "-", "--help"] : ["--help"];
    const { code, stdout } =
      file !== undefined
        ? (await responses)[file]!.help
        : await start(await bundledProgram("targets/command/main.ts"), part!, ...help);
    expect(code).toBe(0);
    const known = new Set(stdout.match(/--[a-z][a-z-]*/g));
    expect([...options].filter(([option]) => !known.has(option))).toEqual([]);
  });
});

test("an unknown engine is reported in one line with exit code 2", async () => {
  const { code, stdout, stderr } = await run("scripts/engines.ts", "--only", "abacus");
  expect(stderr).toMatch(/^engines: [^\n]*no engine is called abacus; there are [^\n]*\n$/);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});
