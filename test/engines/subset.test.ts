// The check of the bundle's syntax tree passes the bundles, and finds each thing that it is there for.

import { describe, expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { conformanceParts } from "../../targets/workbench/engines/script.ts";
import { checkSubset, describeComplaint } from "../../targets/workbench/engines/subset.ts";

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

  test("the conformance script itself is no newer than ES5", async () => {
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
  ["try { a(); } catch { }  function a() {}", /catch without a binding/],
  ["function f() {} f(1,);", /trailing comma/],
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
  ["var a = 1; var b = { a };", /shorthand/],
  ["var a = { b() {} };", /shorthand/],
  ["var a = 'x'; var b = { [a]: 1 };", /computed/],
  ["var a = `b`;", /template/],
  ["let a = 1;", /let/],
  ["const a = 1;", /const/],
  ["var a = () => 1;", /arrow/],
  ["class A {}", /class/],
  ["var a = 0.5;", /fraction/],
  ["var a = 134217729;", /2\^27/],
  ["var a = [1, , 2];", /hole/],
  ["for (var a in {}) ;", /for-in/],
  ["for (var a of []) ;", /for-of/],
  ["function f(a = 1) {}", /default value/],
  ["function f(...a) {}", /rest/],
  ["var [a] = [1];", /destructuring/],
  ["var a = {}; var b = a?.c;", /optional chaining/],
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
