// Tests that the bundles use only the JavaScript that the strictest engines accept. MicroQuickJS, JerryScript and
// Espruino cannot be installed here, so the tests check the syntax tree of each bundle.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AnyNode, type Function as FunctionNode, type Program, parse } from "acorn";
import { full, simple } from "acorn-walk";
import { describe, expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { markFunctions } from "../../targets/bundle/make-bundle.ts";
import { variants } from "../../targets/bundle/surface.ts";
import { bundleProgram } from "../../targets/quickjs/bundle-program.ts";
import { conformanceParts, conformanceScript } from "../../targets/workbench/engines/script.ts";
import { isFullRun } from "../full-run.ts";

/** Code that one of these engines rejects, or that allocates. integers.test.ts checks arithmetic at run time. */
const refused: readonly [reason: string, (node: AnyNode) => boolean][] = [
  ["label", (node) => node.type === "LabeledStatement"],
  ["for-in", (node) => node.type === "ForInStatement"],
  ["regular expression", (node) => node.type === "Literal" && "regex" in node],
  ["getter or setter", (node) => node.type === "Property" && node.kind !== "init"],
  ["array with a hole", (node) => node.type === "ArrayExpression" && node.elements.includes(null)],
];

/** @returns the violations in a script, with the text where each one is */
function checkSubset(code: string): string[] {
  const complaints: string[] = [];
  const refuse = (at: number, reason: string) =>
    complaints.push(`${reason}: ${code.slice(at, at + 60)}`);
  const program = parse(code, { ecmaVersion: 5 });
  const declared = new Set(["module"]);
  full(program, (found) => {
    const node = found as AnyNode;
    for (const [reason, is] of refused) if (is(node)) refuse(node.start, reason);
    const { id, params = [] } = node as Partial<FunctionNode>;
    const names = [id, ...params, node.type === "CatchClause" ? node.param : undefined];
    for (const name of names) if (name?.type === "Identifier") declared.add(name.name);
  });
  simple(program, {
    Identifier: ({ name, start }) => {
      if (!declared.has(name)) refuse(start, "not the core's own name");
    },
  });
  for (const { name, at } of usedTooEarly(program)) refuse(at, `${name} is declared further down`);
  const beyond = code.search(/[^\t\n\x20-\x7e]/);
  if (beyond >= 0) refuse(beyond, "control character, or beyond ASCII");
  return complaints;
}

/** The code that runs while a script loads: the script itself, and functions that are called where they are defined. */
function bodiesAtLoad(program: Program): AnyNode[][] {
  const ownBody = program.body.map((node) => {
    return node.type === "ExportNamedDeclaration" ? (node.declaration ?? node) : node;
  });
  const bodies: AnyNode[][] = [ownBody];
  simple(program, {
    CallExpression: ({ callee }) => {
      if (callee.type === "FunctionExpression") bodies.push(callee.body.body);
    },
  });
  return bodies;
}

/**
 * Finds functions that run while a script loads but are declared later, called directly or through other functions.
 * Espruino does not hoist functions.
 */
function usedTooEarly(program: Program): { name: string; at: number }[] {
  return bodiesAtLoad(program).flatMap((body) => {
    const declared = new Map<string, AnyNode>();
    for (const node of body) {
      if (node.type === "FunctionDeclaration") declared.set(node.id!.name, node);
    }
    const early: { name: string; at: number }[] = [];
    for (const statement of body) {
      if (statement.type === "FunctionDeclaration") continue;
      const reached = new Set(namesIn(statement));
      for (const name of reached) {
        const node = declared.get(name);
        if (!node) continue;
        if (node.start > statement.start) early.push({ name, at: statement.start });
        for (const inner of namesIn(node)) reached.add(inner);
      }
    }
    return early;
  });
}

function namesIn(node: AnyNode): string[] {
  const names: string[] = [];
  full(node, (found) => {
    const inner = found as AnyNode;
    if (inner.type === "Identifier") names.push(inner.name);
  });
  return names;
}

describe("CONTRIBUTING.md, the core is ES5: the subset of the strictest engines", () => {
  test.each(["complete", "api", "grant"] as const)("the %s bundle follows it", async (variant) => {
    expect(checkSubset((await bundleCore(variant)).code)).toEqual([]);
    const { code } = await bundleCore(variant, { minify: false });
    // Only the readable bundle has assertions. Remove their label and their Error.
    const readable = checkSubset(code.replaceAll("ASSERT:", ""));
    expect(readable.filter((one) => !one.includes("name: Error("))).toEqual([]);
  });

  test.runIf(isFullRun)("the conformance script itself needs only ES5", async () => {
    const allowed = /^not the core's own name|^for-in/;
    const complaints = checkSubset(await conformanceParts("complete"));
    expect(complaints.filter((one) => !allowed.test(one))).toEqual([]);
  });

  test.each([
    ["a: for (;;) break a;", /^label/],
    ["function f() { return arguments.length; }", /own name: arguments/],
    ["var a = /x/;", /^regular expression/],
    ["var a = { get b() { return 1; } };", /^getter/],
    ["f(); function f() {}", /^f is declared further down/],
    ["(function () { var a = f(); function f() {} })();", /further down/],
    ["var a = { b: f }; function f() {}", /further down/],
    ["function g() { return f(); } var a = g(); function f() {}", /further down/],
    ["var a = [1, , 2];", /^array with a hole/],
    ["for (var a in {}) ;", /^for-in/],
    ["var a = Math.random();", /own name: Math/],
    ["var a = 'ü';", /beyond ASCII/],
    ["var a = '\x07';", /^control character/],
  ])("a planted violation is found: %s", (code, reason) => {
    expect(checkSubset(code)).toEqual([expect.stringMatching(reason)]);
  });

  test("allowed code has no violation, and newer code throws", () => {
    const fine = "var a;(function(){function f(b){return b%60|0}var c={d:f};a={c:c,e:f(3)}})();";
    expect(checkSubset(fine)).toEqual([]);
    expect(checkSubset("function f() { return g(); } function g() {} var a = f();")).toEqual([]);
    expect(() => checkSubset("try { a(); } catch { }")).toThrow("Unexpected token");
  });
});

const root = fileURLToPath(new URL("../../", import.meta.url));
const rules = readdirSync(`${root}core`, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(`${root}core/${name}`, "utf8"))
  .flatMap((text) => [...text.matchAll(/^ *ASSERT: must\([^;]*"([^"]+)",?\s*\);/gm)])
  .map(([, rule]) => rule!);

test.each([
  ...variants.map((variant) => [variant, async () => (await bundleCore(variant)).code] as const),
  ["program for qjs", bundleProgram] as const,
])("no assertion is in the %s", async (_, make) => {
  const code = await make();
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.filter((rule) => code.includes(rule))).toEqual([]);
  expect(code).not.toMatch(/at fault|ASSERT/);
});

// Engines for the smallest devices do not hoist. A function that is called while a file loads must be declared before
// the call, in every published file.

function calledTooEarly(code: string): string[] {
  const sourceType = /^(im|ex)port /m.test(code) ? "module" : "script";
  const early = usedTooEarly(parse(code, { ecmaVersion: 2022, sourceType }));
  return [...new Set(early.map(({ name }) => name))].sort();
}

test.runIf(isFullRun).each(variants)(
  "the conformance script of the %s build, and the build in it",
  async (variant) => {
    const { code } = await bundleCore(variant);
    expect(calledTooEarly(await conformanceScript(variant, code))).toEqual([]);
  },
);

const given = ["targets/examples/", "platform/templates/"].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mjs") && !name.includes("node_modules"))
    .map((name) => folder + name),
);

test.each(given)("%s, the template for developers", (file) => {
  expect(calledTooEarly(readFileSync(root + file, "utf8"))).toEqual([]);
});

// The compiler inlines a function that returns from within a loop by means of a label, which Espruino does not have.

test.each([
  ["a loop", "while (x) { if (x--) return 1; }", true],
  ["a block that continues", "if (x) { if (y) return 1; y(); }", true],
  ["a block that ends with it", "if (x) { y(); return 1; }", false],
])("a function that returns from within %s", (_what, body, isMarked) => {
  const code = `function a(x) { ${body} return 0; } a(1); a(2);`;
  expect(markFunctions(code)).toBe(isMarked ? `/** @noinline */ ${code}` : code);
});
