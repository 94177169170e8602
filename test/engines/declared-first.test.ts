// Engines for the smallest devices do not hoist: a function that is called while a file is being loaded has to stand
// above that call. So it does in everything that makers are given.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AnyNode, parse } from "acorn";
import { full } from "acorn-walk";
import { expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { variants } from "../../targets/bundle/surface.ts";
import { conformanceScript } from "../../targets/workbench/engines/script.ts";

/** Names that a node mentions. */
function namesIn(node: AnyNode): string[] {
  const names: string[] = [];
  full(node, (inner) => {
    if (inner.type === "Identifier") names.push((inner as AnyNode & { name: string }).name);
  });
  return names;
}

/** Bodies that run while a script is loaded: the script itself, and those of functions that are called on the spot. */
function bodiesAtLoad(code: string): AnyNode[][] {
  const sourceType = /^(im|ex)port /m.test(code) ? "module" : "script";
  const program = parse(code, { ecmaVersion: 2022, sourceType });
  // What is exported counts as what it is.
  const ownBody = program.body.map((node) => {
    return node.type === "ExportNamedDeclaration" ? (node.declaration ?? node) : node;
  });
  const bodies: AnyNode[][] = [ownBody];
  full(program, (node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "FunctionExpression") return;
    bodies.push(node.callee.body.body);
  });
  return bodies;
}

/** Functions that a statement reaches while a script is loaded, and that are declared only behind it. */
function calledTooEarly(code: string): string[] {
  return bodiesAtLoad(code).flatMap(earlyIn);
}

function earlyIn(body: readonly AnyNode[]): string[] {
  const declared = new Map<string, AnyNode>();
  for (const node of body)
    if (node.type === "FunctionDeclaration") declared.set(node.id!.name, node);
  const early = new Set<string>();
  for (const statement of body) {
    if (statement.type === "FunctionDeclaration") continue;
    // Grows while it is walked.
    const reached = new Set(namesIn(statement));
    for (const name of reached) {
      const node = declared.get(name);
      if (!node) continue;
      if (node.start > statement.start) early.add(name);
      for (const inner of namesIn(node)) reached.add(inner);
    }
  }
  return [...early].sort();
}

test.each(variants)(
  "the conformance script of the %s build, and the build in it",
  async (variant) => {
    const { code } = await bundleCore(variant);
    expect(calledTooEarly(await conformanceScript(variant, code))).toEqual([]);
  },
);

const root = fileURLToPath(new URL("../../", import.meta.url));
const given = ["targets/examples/", "platform/templates/"].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mjs") && !name.includes("node_modules"))
    .map((name) => folder + name),
);

test.each(given)("%s, which a maker begins with", (file) => {
  expect(calledTooEarly(readFileSync(root + file, "utf8"))).toEqual([]);
});

test("a function behind its call is seen, also where another one calls it", () => {
  expect(calledTooEarly("f(); function f() {}")).toEqual(["f"]);
  expect(calledTooEarly("function f() { g(); } f(); function g() {}")).toEqual(["g"]);
  expect(calledTooEarly("function g() {} function f() { g(); } f();")).toEqual([]);
  expect(calledTooEarly("(function () { f(); function f() {} })();")).toEqual(["f"]);
  expect(calledTooEarly("(function () { function f() {} f(); })();")).toEqual([]);
});
