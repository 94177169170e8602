// Mutants are run rarely, and what they are run against changes often: the tests still fit into the bundle without
// vitest (README.md here), and none is lost on the way.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleTests } from "./mutant-bundle.ts";
import { filesOf, roomsOf } from "./rooms.ts";
import { SURVIVORS } from "./survivors.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The tests of all rooms. */
const files = [...new Set(roomsOf(root).flatMap(({ tests }) => tests))];
/** Within the repository: the bundle imports its packages from there. */
const parent = path.join(root, "dist");
let folder: string;
/** The names of the collected tests: each begins with that of its file. */
let names: string[];

beforeAll(async () => {
  mkdirSync(parent, { recursive: true });
  folder = mkdtempSync(path.join(parent, "mutation-tests-"));
  const bundle = path.join(folder, "tests.mjs");
  await bundleTests(root, root, files, bundle);
  // A process of its own: the stand-in puts its own `expect` in the place of vitest's.
  const print = `
    const { tests } = await import(${JSON.stringify(pathToFileURL(bundle).href)});
    process.stdout.write(JSON.stringify(tests.map(({ name }) => name)));`;
  const { PICOGRANT_CORE: _, ...env } = process.env;
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", print], { env });
  names = JSON.parse(said.toString()) as string[];
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("test/mutation/README.md: mutants are run against all tests of a room", () => {
  it.each(files)("%s: every test that it declares is collected", (file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    const declared = text.match(/^ *(?:it|test)(?:\.\w+(?:\([^()]*\))?)*(?:<.*)?[(]/gm) ?? [];
    // Some are declared by a function in another file, and some not on every machine.
    const least = text.includes("skipIf") ? 1 : Math.max(1, declared.length);
    const collected = names.filter((name) => name.startsWith(`${file} > `));
    expect(collected.length).toBeGreaterThanOrEqual(least);
  });

  it("each has a name of its own: coverage is counted by it", () => {
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

describe("test/mutation/rooms.ts: each file has its room", () => {
  it.each(["core", "platform/driver", "platform/session", "platform/node", "platform/servers"])(
    "%s",
    (folder) => {
      const mutated = roomsOf(root).flatMap((room) => filesOf(root, room));
      const all = filesOf(root, { name: "", sources: [folder], tests: [], isTogether: true });
      expect(all.filter((file) => mutated.filter((one) => one === file).length !== 1)).toEqual([]);
    },
  );
});

describe("test/mutation/survivors.ts: what is explained is there", () => {
  it.each(SURVIVORS)("$file: $line", ({ file, line, mutants }) => {
    const lines = readFileSync(path.join(root, file), "utf8").split("\n");
    expect(lines.map((text) => text.trim())).toContain(line);
    for (const mutant of mutants) expect(line).toContain(mutant.split(" => ")[0]);
  });
});
