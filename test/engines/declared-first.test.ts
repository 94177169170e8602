// Engines for the smallest devices do not hoist: a function that is called while a file is being loaded has to stand
// above that call. So it does in everything that makers are given.

import { type AnyNode, parse } from "acorn";
import { full } from "acorn-walk";
import { expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/make-bundle.ts";
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
  const program = parse(code, { ecmaVersion: 5 });
  const bodies: AnyNode[][] = [program.body];
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
    expect(calledTooEarly(conformanceScript(code, false))).toEqual([]);
  },
);

test("a function behind its call is seen, also where another one calls it", () => {
  expect(calledTooEarly("f(); function f() {}")).toEqual(["f"]);
  expect(calledTooEarly("function f() { g(); } f(); function g() {}")).toEqual(["g"]);
  expect(calledTooEarly("function g() {} function f() { g(); } f();")).toEqual([]);
  expect(calledTooEarly("(function () { f(); function f() {} })();")).toEqual(["f"]);
  expect(calledTooEarly("(function () { function f() {} f(); })();")).toEqual([]);
});
