// The check of the bundle's syntax tree passes the bundles, and finds each thing that it is there for.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AnyNode, parse } from "acorn";
import { full } from "acorn-walk";
import { describe, expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { markFunctions } from "../../targets/bundle/inlining.ts";
import { variants } from "../../targets/bundle/surface.ts";
import { conformanceParts, conformanceScript } from "../../targets/workbench/engines/script.ts";
import { checkSubset, describeComplaint } from "../../targets/workbench/engines/subset.ts";
import { isFullRun } from "../full-run.ts";

describe("CONTRIBUTING.md, the core is ES5: the strictest engines' subset", () => {
  for (const variant of ["complete", "api", "grant"] as const) {
    for (const minify of [true, false]) {
      test(`the ${minify ? "" : "readable "}${variant} bundle keeps to it`, async () => {
        const { code, map } = await bundleCore(variant, { minify });
        // What is flashed has no assertions. Spaces take the place of their label, so that all else stays in its place.
        const checked = minify ? code : code.replaceAll("ASSERT:", "       ");
        const complaints = checkSubset(checked).map((found) => describeComplaint(found, map));
        const thrown = /core\/device\/assertion\.ts:\d+: Error: not the core's own name/;
        expect(complaints.filter((one) => minify || !thrown.test(one))).toEqual([]);
      });
    }
  }

  test("a complaint names the place in the sources", async () => {
    const { code, map } = await bundleCore("grant");
    const planted = code.replace(/return/, "return 1/2,");
    const [first] = checkSubset(planted);
    expect(describeComplaint(first!, map)).toMatch(/^(\.\.\/)*core\/[a-z/-]+\.ts:\d+: a division/);
  });

  test.runIf(isFullRun)("the conformance script itself is no newer than ES5", async () => {
    const allowed = /not the core's own name|for-in|closure|memory comes from the host/;
    const complaints = checkSubset(await conformanceParts("complete"));
    expect(complaints.filter(({ reason }) => !allowed.test(reason))).toEqual([]);
  });
});

/** Code, and what the check says of it. */
const planted: readonly [string, RegExp][] = [
  ["a: for (;;) break a;", /label/],
  ["function f() { return arguments.length; }", /arguments allocates/],
  ["var a = /x/;", /regular expression/],
  ["var a = [function () {}];", /functions between brackets/],
  ["var a = { get b() { return 1; } };", /getter/],
  ["function f() { return function () {}; }", /closure made after start-up/],
  ["(function () { function f() { return function () {}; } })();", /closure made after start-up/],
  ["try { a(); } catch { }  function a() {}", /newer than ES5/],
  ["function f() {} f(1,);", /newer than ES5/],
  ["if (1) { function f() {} }", /function declaration in a block/],
  ["f(); function f() {}", /declared further down/],
  ["(function () { var a = f(); function f() {} })();", /declared further down/],
  ["var a = { b: f }; function f() {}", /declared further down/],
  ["function g() { return f(); } var a = g(); function f() {}", /declared further down/],
  ["var a = new Uint8Array(4);", /memory comes from the host/],
  ["var a = []; a.fill(0);", /fill: some engines/],
  ["var a = []; a.slice(1);", /slice: some engines/],
  ["var a = Object.assign({}, {});", /assign: some engines/],
  ["var a = encodeURIComponent('b');", /not in MicroQuickJS/],
  ["var a = 'b'.startsWith('b');", /startsWith/],
  ["var a = 'b'.padStart(3);", /padStart/],
  ["var a = 4; var b = a / 2;", /division/],
  ["var a = 4; a /= 2;", /division/],
  ["var a = 4; var b = a >>> 2;", />>> of a negative/],
  ["let a = 1;", /newer than ES5/],
  ["var a = () => 1;", /newer than ES5/],
  ["var a = 0.5;", /fraction/],
  ["var a = 134217729;", /2\^27/],
  ["var a = [1, , 2];", /hole/],
  ["for (var a in {}) ;", /for-in/],
  ["var a = Date.now();", /no clock/],
  ["setTimeout(0, 1);", /no clock/],
  ["var a = Math.random();", /entropy/],
  ["var a = crypto;", /no entropy/],
  ["localStorage.a = 1;", /no storage/],
  ["fetch('a');", /no network/],
  ["var a = require('fs');", /imports nothing/],
  ["var a = globalThis;", /not the core's own name/],
  ["var a = 'ü';", /beyond ASCII/],
  ["var a = '\x07';", /control character/],
];

describe("a planted violation is found", () => {
  for (const [code, reason] of planted) {
    test(code, () => {
      const complaints = checkSubset(code);
      expect(complaints.map((found) => found.reason).join("\n")).toMatch(reason);
      expect(complaints.every(({ line, column }) => line === 1 && column >= 1)).toBe(true);
    });
  }

  test("and what is allowed is not", () => {
    const fine = "var a;(function(){function f(b){return b%60|0}var c={d:f};a={c:c,e:f(3)}})();";
    expect(checkSubset(fine)).toEqual([]);
    expect(checkSubset("function f() { return g(); } function g() {} var a = f();")).toEqual([]);
  });
});

// Engines for the smallest devices do not hoist: a function that is called while a file is being loaded has to stand
// above that call. So it does in everything that makers are given.

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

test.runIf(isFullRun).each(variants)(
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

// Which functions the build writes where they are called (targets/bundle/README.md, "the bundle").

const twoCalls = "a(1); a(2);";
const inPlace = "/** @encourageInlining */ function a";

describe("functions that are marked for the compiler", () => {
  test("a small one that is called twice goes to both places", () => {
    expect(markFunctions(`function a(x) { return x + 1; } ${twoCalls}`)).toContain(inPlace);
  });

  test("one whose copies would be long stays", () => {
    const long = `function a(x) { return ${"x + ".repeat(60)} x; }`;
    expect(markFunctions(`${long} ${twoCalls}`)).toBe(`${long} ${twoCalls}`);
  });

  test.each([
    ["is handed over", "function a(x) { return x; } a(1); a(2); b = a;"],
    ["calls itself", "function a(x) { return x ? a(x - 1) : 0; } a(1); a(2);"],
    ["is called once, where the compiler knows by itself", "function a(x) { return x; } a(1);"],
  ])("one that %s is left alone", (_why, code) => {
    expect(markFunctions(code)).toBe(code);
  });

  test("one that returns from within a loop stays, however small: no label for Espruino", () => {
    const code = `function a(x) { while (x) { if (x--) return 1; } return 0; } ${twoCalls}`;
    expect(markFunctions(code)).toBe(`/** @noinline */ ${code}`);
  });

  test.each([
    ["stays, however small: no label for Espruino", "if (x) { if (y) return 1; y(); }", true],
    ["goes to its places where the block ends with it", "if (x) { y(); return 1; }", false],
  ])("one that returns from a block that goes on %s", (_what, body, stays) => {
    const code = `function a(x) { ${body} return 0; } ${twoCalls}`;
    const mark = stays ? "@noinline" : "@encourageInlining";
    expect(markFunctions(code)).toBe(`/** ${mark} */ ${code}`);
  });
});
