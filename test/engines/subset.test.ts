// The check of the bundle's syntax tree passes the bundles, and finds each thing that it is there for.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import { describe, expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { markFunctions } from "../../targets/bundle/make-bundle.ts";
import { sourcesOf } from "../../targets/bundle/places.ts";
import { variants } from "../../targets/bundle/surface.ts";
import { bundleProgram } from "../../targets/quickjs/bundle-program.ts";
import { conformanceParts, conformanceScript } from "../../targets/workbench/engines/script.ts";
import { checkSubset, usedTooEarly } from "../../targets/workbench/engines/subset.ts";
import { isFullRun } from "../full-run.ts";

describe("CONTRIBUTING.md, the core is ES5: the strictest engines' subset", () => {
  for (const variant of ["complete", "api", "grant"] as const) {
    for (const minify of [true, false]) {
      test(`the ${minify ? "" : "readable "}${variant} bundle keeps to it`, async () => {
        const { code, map } = await bundleCore(variant, { minify });
        // What is flashed has no assertions. Spaces take the place of their label, so that all else stays in its place.
        const checked = minify ? code : code.replaceAll("ASSERT:", "       ");
        const sourceOf = sourcesOf(code, map);
        const complaints = checkSubset(checked).map(({ at, reason, text }) => {
          return `${sourceOf(at).place}: ${reason}: ${text}`;
        });
        const thrown = /core\/device\/assertion\.ts:\d+: Error: not the core's own name/;
        expect(complaints.filter((one) => minify || !thrown.test(one))).toEqual([]);
      });
    }
  }

  test("a complaint names the place in the sources", async () => {
    const { code, map } = await bundleCore("grant");
    const planted = code.replace(/return/, "return 1/2,");
    const { at } = checkSubset(planted)[0]!;
    expect(sourcesOf(planted, map)(at).place).toMatch(/^(\.\.\/)*core\/[a-z/-]+\.ts:\d+$/);
  });

  test.runIf(isFullRun)("the conformance script itself is no newer than ES5", async () => {
    const allowed = /not the core's own name|for-in/;
    const complaints = checkSubset(await conformanceParts("complete"));
    expect(complaints.filter(({ reason }) => !allowed.test(reason))).toEqual([]);
  });
});

/** Code, and what the check says of it. */
const planted: readonly [string, RegExp][] = [
  ["a: for (;;) break a;", /label/],
  ["function f() { return arguments.length; }", /arguments: not the core's own name/],
  ["var a = /x/;", /regular expression/],
  ["var a = { get b() { return 1; } };", /getter/],
  ["try { a(); } catch { }  function a() {}", /newer than ES5/],
  ["function f() {} f(1,);", /newer than ES5/],
  ["if (1) { function f() {} }", /function declaration in a block/],
  ["f(); function f() {}", /declared further down/],
  ["(function () { var a = f(); function f() {} })();", /declared further down/],
  ["var a = { b: f }; function f() {}", /declared further down/],
  ["function g() { return f(); } var a = g(); function f() {}", /declared further down/],
  ["var a = []; a.fill(0);", /fill: some engines/],
  ["var a = []; a.slice(1);", /slice: some engines/],
  ["var a = Object.assign({}, {});", /assign: some engines/],
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
  ["var a = new Uint8Array(Math.random() * 4);", /Uint8Array: not the core's own name\nMath: not/],
  ["setTimeout(0, 1);", /not the core's own name/],
  ["var a = 'ü';", /beyond ASCII/],
  ["var a = '\x07';", /control character/],
];

describe("a planted violation is found", () => {
  for (const [code, reason] of planted) {
    test(code, () => {
      const complaints = checkSubset(code);
      expect(complaints.map((found) => found.reason).join("\n")).toMatch(reason);
    });
  }

  test("and what is allowed is not", () => {
    const fine = "var a;(function(){function f(b){return b%60|0}var c={d:f};a={c:c,e:f(3)}})();";
    expect(checkSubset(fine)).toEqual([]);
    expect(checkSubset("function f() { return g(); } function g() {} var a = f();")).toEqual([]);
  });
});

// What must hold is said in the sources (core/device/assertion.ts), and none of it in what ships.

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
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.filter((rule) => code.includes(rule))).toEqual([]);
  expect(code).not.toMatch(/at fault|ASSERT/);
});

// Engines for the smallest devices do not hoist: a function that is called while a file is being loaded has to stand
// above that call. So it does in everything that makers are given.

/** Their names. */
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

// Which functions the compiler must not write where they are called: no label for Espruino.

test.each([
  ["a loop", "while (x) { if (x--) return 1; }", true],
  ["a block that goes on", "if (x) { if (y) return 1; y(); }", true],
  ["a block that ends with it", "if (x) { y(); return 1; }", false],
])("a function that returns from within %s", (_what, body, isMarked) => {
  const code = `function a(x) { ${body} return 0; } a(1); a(2);`;
  expect(markFunctions(code)).toBe(isMarked ? `/** @noinline */ ${code}` : code);
});
