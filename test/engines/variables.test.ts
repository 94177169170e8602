// The passes over variables: which ones share, what becomes of `var`, and which names they get. Whatever they
// do, the program means the same.

import { parse } from "acorn";
import { generate } from "astring";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { declareAsParameters } from "../../targets/firmware/locals.ts";
import { shortenNames } from "../../targets/firmware/names.ts";
import { shareVariables } from "../../targets/firmware/sharing.ts";
import type { Tree } from "../../targets/firmware/syntax-tree.ts";

function bundle(body: string): Tree {
  const probe = `function probe(a) { ${body} }`;
  return parse(`(function(){${probe} api = { probe: probe };})();`, { ecmaVersion: 5 }) as Tree;
}

function answers(code: string): unknown[] {
  const probe = new Function(`var api;${code}return api.probe;`)() as (a: number) => unknown;
  return [0, 1, 2, 3].map((a) => probe(a));
}

/** The variables that are left, in the order of the parameters (a loop's come after those of its body). */
function shared(body: string): string {
  const tree = bundle(body);
  const expected = answers(generate(tree));
  shareVariables(tree);
  declareAsParameters(tree);
  const code = generate(tree);
  expect(answers(code)).toEqual(expected);
  expect(code).not.toMatch(/var (?!api)/);
  return /function probe\(([^)]*)\)/.exec(code)![1]!;
}

describe("variables share", () => {
  const cases: readonly (readonly [rule: string, left: string, body: string])[] = [
    ["one after the other", "a, b", "var b = a + 1; b *= a; var c = a * 2; return c + a;"],
    ["not while both are needed", "a, b, c", "var b = a + 1; var c = a * 2; return b + c + a;"],
    ["with a parameter that is done", "a", "var b = a + 1; var c = b * 2; return c;"],
    ["what is handed on", "a", "var b = a; var c = b; c++; return c;"],
    ["not what is handed on and used later", "a, b", "var b = a; b++; return b + a;"],
    [
      "not what a loop carries on",
      "a, b, c, i",
      "var b = 1; for (var i = 0; i < a; i++) { var c = b + i; b = c * 2; } return b;",
    ],
    [
      "what is set in each turn",
      "a, b, i",
      "for (var i = 0; i < a; i++) { var b = i * 2; a -= b; var c = a + i; a = c; } return a;",
    ],
    [
      "not with what the loop's next turn needs",
      "a, b, i",
      "for (var i = 0; i < 3; i++) { var b = i + 1; a += b; } return a;",
    ],
    [
      "two loops' counters",
      "a, i",
      "for (var i = 0; i < 3; i++) a += i; for (var j = 0; j < 3; j++) a += j * 2; return a;",
    ],
    ["branches' own", "a, b", "if (a > 1) { var b = a * 2; return b; } var c = a - 1; return c;"],
    [
      "set at the end of a turn, read in the next",
      "a, b, c, i",
      "var b = 0; for (var i = 0; i < 3; i++) { var c = i * 2; a += b + c; b = i; } return a;",
    ],
    ["of a while", "a, b, c", "var b = 0; while (a > 0) { var c = a * 3; b += c; a--; } return b;"],
    ["of a do", "a, b, c", "var b = 0; do { var c = b + 1; b = c + a; } while (b < 9); return b;"],
  ];
  test.each(cases)("%s: %s", (_, left, body) => {
    expect(shared(body)).toBe(left);
  });

  /** Programs in which no variable is read before it is set, as the compiler has it. */
  const program = fc.infiniteStream(fc.nat({ max: 999 })).map((numbers) => {
    let serial = 0;
    const next = (below: number): number => (numbers.next().value as number) % below;
    const value = (known: readonly string[]): string =>
      `(${known[next(known.length)]} ${"+-^"[next(3)]} ${known[next(known.length)]}) % 999`;
    const block = (outer: readonly string[], depth: number): string => {
      const known = [...outer];
      let code = "";
      for (let count = 1 + next(5); count > 0; count--) {
        const kind = next(depth > 0 ? 6 : 3);
        const name = `v${++serial}`;
        if (kind < 2) {
          code += `var ${name} = ${value(known)};`;
          known.push(name);
        } else if (kind === 2) code += `${known[next(known.length)]} = ${value(known)};`;
        else if (kind === 3) {
          code += `if (${value(known)} > 9) { ${block(known, depth - 1)} } else { ${block(known, depth - 1)} }`;
        } else if (kind === 4) {
          const body = block(known, depth - 1);
          code += `for (var ${name} = 0; ${name} < 3; ${name}++) { ${body} }`;
        } else {
          const body = block(known, depth - 1);
          code += `var ${name} = 0; while (++${name} < 3) { ${body} }`;
          known.push(name);
        }
      }
      // All that is known here was set on every way to here.
      return `${code} log.push(${known.join(", ")});`;
    };
    return `var log = []; ${block(["a"], 3)} return log.join();`;
  });

  test("in any program, which means the same", () => {
    fc.assert(
      fc.property(program, (body) => {
        shared(body);
      }),
      { numRuns: 300 },
    );
  });
});

describe("short names", () => {
  const code = `var bundle=(function(){var first=1,second=2;function one(value,other){return other=value+second,
    other*first}function two(value){return one(value)+{first:3}.first+second}return{two:two}})();`;
  const run = (text: string): unknown =>
    (new Function(`${text};return bundle.two(5);`) as () => unknown)();

  test("mean the same, and no property is renamed", () => {
    const short = shortenNames(code);
    expect(run(short.code)).toBe(run(code));
    expect(short.code).toContain("{first:3}.first");
    expect(short.code).not.toMatch(/value|second|other/);
  });

  test("of parameters are free in their own function only", () => {
    const names = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"].map(
      (c) => `${c}${c}${c}`,
    );
    const many = `var bundle=(function(){var ${names.map((name) => `${name}=1`).join()};
      function two(value,other){return other=value+aaa,other+ZZZ}
      function sum(){return ${names.join("+")}}
      return{two:two,sum:sum}})();`;
    const short = shortenNames(many).code;
    expect(run(short)).toBe(7);
    expect(/two\((\w+),(\w+)\)|\((\w),(\w)\)/.exec(short)).not.toBeNull();
    const sum = new Function(`${short};return bundle.sum();`) as () => number;
    expect(sum()).toBe(52);
  });

  test("need a function's variables to be its parameters", () => {
    const own = "var bundle=(function(){function one(){var a=1;return a}return{one:one}})();";
    expect(() => shortenNames(own)).toThrow("VariableDeclaration in a function");
  });
});
