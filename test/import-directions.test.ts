// Checks the layers of the repository (CONTRIBUTING.md). A file may import only from its own layer and those below.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The layers below each layer. `scripts` and `test` are independent of each other. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  core: [],
  platform: ["core"],
  targets: ["core", "platform"],
  // The workbench builds, runs and measures everything. No other module of targets may import it.
  "targets/workbench": ["core", "platform", "targets"],
  scripts: ["core", "platform", "targets", "targets/workbench"],
  test: ["core", "platform", "targets", "targets/workbench"],
};

const layerOf = (file: string): string =>
  file.startsWith("targets/workbench/") ? "targets/workbench" : file.split("/")[0]!;

/** Matches each form of import of a file of this repository. */
const IMPORT = /\b(?:from|import|require|mock)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, named]) => path.posix.join(path.posix.dirname(file), named!));

/** @returns the imports of `file` from layers that are neither its own nor below its own */
function wrongImports(file: string, text: string): string[] {
  const layer = layerOf(file);
  return importsOf(file, text)
    .filter((target) => {
      const other = layerOf(target);
      return other in BELOW && other !== layer && !BELOW[layer]!.includes(other);
    })
    .map((target) => `${file} imports ${target}`);
}

/** Removes files that import no remaining file. @returns import cycles, and the files that import from them */
function circular(imports: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...imports.keys()];
  for (let before = 0; before !== left.length; ) {
    before = left.length;
    const remaining = new Set(left);
    left = left.filter((file) => imports.get(file)!.some((target) => remaining.has(target)));
  }
  return left;
}

const files = ["core", "platform", "targets", "scripts", "test"].flatMap((layer) =>
  readdirSync(path.join(ROOT, layer), { encoding: "utf8", recursive: true })
    .filter((name) => /\.(ts|mjs|cjs|js)$/.test(name) && !name.includes("node_modules"))
    .map((name) => `${layer}/${name.replaceAll(path.sep, "/")}`)
    // This file contains wrong imports as examples.
    .filter((name) => name !== "test/import-directions.test.ts"),
);

describe("a file imports only from its own layer and those below", () => {
  test.each(Object.keys(BELOW))("%s", (layer) => {
    const own = files.filter((file) => layerOf(file) === layer);
    expect(own.length).toBeGreaterThan(10);
    const wrong = own.flatMap((file) => wrongImports(file, readFileSync(ROOT + file, "utf8")));
    expect(wrong).toEqual([]);
  });

  test("platform has no circle of imports, not even of types", () => {
    const own = files.filter((file) => layerOf(file) === "platform");
    const imports = own.map((file) => importsOf(file, readFileSync(ROOT + file, "utf8")));
    expect(circular(new Map(own.map((file, at) => [file, imports[at]!])))).toEqual([]);
    expect(circular(new Map(Object.entries({ a: ["b"], b: ["a"], c: [] })))).toEqual(["a", "b"]);
  });

  test("no class of platform has more than 250 lines", () => {
    const own = files.filter((file) => layerOf(file) === "platform");
    const classes = own.flatMap((file) => [
      ...readFileSync(ROOT + file, "utf8").matchAll(
        /^(?:export )?(?:abstract )?class [\s\S]*?^\}/gm,
      ),
    ]);
    expect(classes.length).toBeGreaterThan(20);
    const long = classes.filter(([text]) => text.split("\n").length > 250);
    expect(long.map(([text]) => text.split("\n", 1))).toEqual([]);
  });

  test("the chart in CONTRIBUTING.md has the same layers", () => {
    const page = readFileSync(`${ROOT}CONTRIBUTING.md`, "utf8");
    const rows = [...page.matchAll(/^\| `([\w/]+)\/` \| [^|]+ \| ([^|]+) \|$/gm)];
    const chart = rows.map(([, layer, below]) => [
      layer,
      [...below!.matchAll(/`([\w/]+)\/`/g)].map(([, name]) => name),
    ]);
    expect(Object.fromEntries(chart)).toEqual(BELOW);
  });
});

describe("a wrong import is detected", () => {
  test.each([
    ["core/grant/a.ts", 'export * from "../../targets/b.ts";'],
    ["platform/a.ts", 'import type { B } from "../targets/b.ts";'],
    ["platform/node/a.ts", 'const b = await import("../../targets/workbench/b.ts");'],
    ["targets/a/a.ts", 'import "../workbench/b.ts";'],
    ["targets/a.ts", "import b from '../test/b.ts';"],
    ["targets/workbench/a.ts", 'import {\n  b,\n} from "../../test/b.ts";'],
    ["test/a/a.ts", 'vi.mock("../../scripts/b.ts");'],
    ["test/a/a.mjs", 'const b = require("../../scripts/b.cjs");'],
  ])("%s: %s", (file, text) => expect(wrongImports(file, text)).toHaveLength(1));

  test.each([
    ["test/a/a.ts", 'import { b } from "../b.ts";'],
    ["scripts/a.ts", 'import { b } from "../targets/workbench/b.ts";'],
    ["targets/a.ts", 'import { b } from "vitest";'],
  ])("none in %s: %s", (file, text) => expect(wrongImports(file, text)).toEqual([]));
});

// The core makes the decisions about the protocol, so that two hosts cannot differ. A driver carries them out. A driver
// compares no 4xx status and no error word of a server, and does not check whether an endpoint is missing.

const DRIVERS = [
  "platform/driver.ts",
  ...readdirSync(path.join(ROOT, "platform/driver")).map((file) => `platform/driver/${file}`),
  "targets/host/portable/driver.c",
];

test.each([
  ["the status of an error", /\b4\d\d\b/],
  ["a server's error words", /insufficient_user|["']code_challenge/],
  ["an endpoint without an address", /unaddressed|!address|\*request\.address/],
])("no driver decides by %s", (_, pattern) => {
  const found = DRIVERS.flatMap((file) =>
    readFileSync(path.join(ROOT, file), "utf8")
      .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
