// device.json is one format for all hosts: its schema is the table of members, and the host in C has every one of them
// but those that it refuses (JAVASCRIPT_ONLY).

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { JAVASCRIPT_ONLY } from "../../platform/configuration/complete-config.ts";
import schema from "../../platform/configuration/device.schema.json" with { type: "json" };

interface Node {
  readonly properties?: object;
}

/** Paths of all members, `a.b` for what is in an object. */
const pathsOf = (node: Node, before = ""): string[] =>
  Object.entries<Node>((node.properties ?? {}) as Record<string, Node>).flatMap(([name, inner]) => [
    before + name,
    ...pathsOf(inner, `${before}${name}.`),
  ]);

const source = new URL("../../targets/host/portable/config.c", import.meta.url);
const table = /struct member members\[\] = \{\n(.*?)\n\};/s.exec(readFileSync(source, "utf8"))![1]!;
const inC = [...table.matchAll(/^ *\{"([^"]+)", (\w+),/gm)].map(([, path, kind]) => ({
  path: path!,
  kind,
}));

it("every member of the schema is one of the host in C, or one that it refuses", () => {
  const inside = new Set(inC.filter(({ kind }) => kind !== "OBJECT").map(({ path }) => path));
  // What has one entry for all that is in it.
  const isWhole = (path: string): boolean =>
    [...inside].some((whole) => path === whole || path.startsWith(`${whole}.`));
  const known = pathsOf(schema).filter((path) => !JAVASCRIPT_ONLY.some((one) => one === path));
  const objects = new Set(inC.filter(({ kind }) => kind === "OBJECT").map(({ path }) => path));
  expect(known.filter((path) => !isWhole(path) && !objects.has(path))).toEqual([]);
});

it("the host in C has no member that the schema does not have", () => {
  const paths = new Set(pathsOf(schema));
  expect(inC.length).toBeGreaterThan(30);
  expect(inC.map(({ path }) => path).filter((path) => !paths.has(path))).toEqual([]);
});

it("what the host in C refuses is no member of its table", () => {
  expect(inC.filter(({ path }) => JAVASCRIPT_ONLY.some((one) => one === path))).toEqual([]);
});
