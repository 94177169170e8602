// The passes that make the bundle leaner without moving code: what they take out could not happen, what
// they rewrite means the same.

import { parse } from "acorn";
import { generate } from "astring";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as core from "../../core/index.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import { bundleCore } from "../../targets/firmware/bundle.ts";
import { chainAssignments } from "../../targets/firmware/chain.ts";
import { loosenEquality } from "../../targets/firmware/equality.ts";
import { dropImpossible } from "../../targets/firmware/impossible.ts";
import { declareAsParameters } from "../../targets/firmware/locals.ts";
import { rejoin } from "../../targets/firmware/rejoin.ts";
import type { Tree } from "../../targets/firmware/syntax-tree.ts";
import { pack, packTexts } from "../../targets/firmware/texts.ts";

function bundle(body: string): Tree {
  return parse(`(function(){${body} api = { probe: probe };})();`, { ecmaVersion: 5 }) as Tree;
}

function answers(code: string): unknown[] {
  const probe = new Function(`var api;${code}return api.probe;`)() as (a: number) => unknown;
  return [0, 1, 2, 3].map((a) => probe(a));
}

/** The program means the same after the pass, and does not have what is to go; nothing to go: it is as before. */
function judge(pass: (tree: Tree) => void, body: string, gone: RegExp | null): void {
  const tree = bundle(body);
  const before = generate(tree);
  const expected = answers(before);
  pass(tree);
  const after = generate(tree);
  expect(answers(after)).toEqual(expected);
  if (gone) {
    expect(before).toMatch(gone);
    expect(after).not.toMatch(gone);
  } else expect(after).toBe(before);
}

const rows: readonly (readonly [rule: string, gone: RegExp | null, body: string])[] = [
  [
    "a part that is never there",
    /part/,
    "var part, n; function probe(a) { n = part = null; if (part && part.due()) return 9; return a; }",
  ],
  [
    "a part under another name",
    /part|due/,
    "var part; part = null; function probe(a) { var mine = part; if (mine && mine.due(a)) a = 7; return a; }",
  ],
  [
    "a case that looks into it",
    /due|a = 5/,
    "var part = null; function probe(a) { switch (a - a + 1) { case 1: return 4; default: part.due(); a = 5; } return a; }",
  ],
  [
    "a part that comes is left alone",
    null,
    "var part = null; function probe(a) { var was = part ? part.n : 0; part = { n: a }; return was + part.n; }",
  ],
  [
    "a value that a variable never has",
    /100/,
    "var n = 0; function probe(a) { if (n === 3) return 100; n = 0; if (a > 1) n = 2; return a + n; }",
  ],
  [
    "a question that leads to another",
    /=== 1|=== 2|\+= 50/,
    "var m = 0; var n = 0; function probe(a) { if (n === 1) m = 2; if (m === 2) a += 50; return a; }",
  ],
  [
    "a function that only a part that is never there was handed to",
    /due|all|none/,
    "var part = null; function none(n) { return n > 0 ? none(n - 1) : n; } function all(n) { return none(n); } function due(n) { return all(n) + all(n); } function probe(a) { if (part) return due(a); return a; }",
  ],
  [
    "a counter is left alone",
    null,
    "var n = 0; function probe(a) { n++; if (n === 1) return 100; return a; }",
  ],
  [
    "a sum is left alone",
    null,
    "var n = 0; function probe(a) { n += a; if (n === 3) return 100; return a; }",
  ],
  [
    "a value that is only known when it runs is left alone",
    null,
    "var n = 0; function probe(a) { n = a; if (n === 3) return 100; return a; }",
  ],
];

describe("what cannot happen in a build", () => {
  test.each(rows)("%s", (_, gone, body) => judge(dropImpossible, body, gone));
});

test("equality of numbers: the shorter sign", () => {
  const tree = bundle("function probe(a) { return a === 2 || a !== 1; }");
  const expected = answers(generate(tree));
  loosenEquality(tree);
  expect(generate(tree)).not.toMatch(/===|!==/);
  expect(answers(generate(tree))).toEqual(expected);
});

describe("variables as parameters", () => {
  const cases: readonly (readonly [rule: string, body: string])[] = [
    [
      "one, with and without a value",
      "var b; if (a > 1) { var c = a; b = c; } else b = 7; return b;",
    ],
    ["of loops", "for (var i = 0, sum = 0; i < a; i++) { var j = i; sum += j; } return sum;"],
    ["declared twice", "for (var i = 0; i < a; i++); for (var i = 9; i > a; i--); return i;"],
    ["in the place of a statement", "if (a) var b = a * 2; else var b = 5; return b;"],
    ["of a loop without values", "for (var i; !i; ) i = a + 1; return i;"],
    ["that is a parameter already", "var a = a + 1; return a;"],
  ];
  test.each(cases)("%s", (_, body) => {
    judge(declareAsParameters, `function probe(a) { ${body} }`, /var (?!api)/);
  });
});

describe("packed texts", () => {
  const long = "refresh_token access_token refresh_token access_token token_type ";

  /** What core/loop/create.ts makes of them, by its documentation: lines without their line feeds. */
  function placed(texts: readonly string[]): string {
    let memory = "";
    const all = texts.join("");
    for (let at = 0; at < all.length; at++) {
      if (all[at] === "\t") {
        const value = (all.charCodeAt(++at) - 35) * 92 + all.charCodeAt(++at) - 35;
        for (let count = 5 + (value % 8); count > 0; count--) {
          memory += memory.at(-(value >> 3));
        }
      } else if (all[at] !== "\n") memory += all[at];
    }
    return memory;
  }

  test("come back whole, in their places", () => {
    const body = `function probe(a) { return "B${long}" + (a ? "A" + "${long}" : "C${long}"); }`;
    const tree = bundle(body);
    const expected = (answers(generate(tree)) as string[]).map((text) => text.slice(0, -1));
    packTexts(tree);
    expect(generate(tree)).not.toContain("access_token refresh_token access_token");
    const packed = answers(generate(tree)) as string[];
    // The two behind the condition are placed one after the other: a later text may refer to an earlier one.
    expect(placed([packed[1]!]).slice(0, -1)).toBe(expected[1]);
    expect(packed[0]!.startsWith(packed[1]!.slice(0, 40))).toBe(true);
  });

  test("any texts come back, and none gets longer", () => {
    const words = fc.constantFrom("token", "refresh_", "\n", "é", '"', "\\", "~", "a", "tok");
    const texts = fc.array(fc.array(words, { maxLength: 300 }).map((parts) => parts.join("")));
    fc.assert(
      fc.property(texts, (all) => {
        const packed = pack(all);
        expect(placed(packed)).toBe(all.join("").replaceAll("\n", ""));
        const feeds = (text: string): number => text.split("\n").length;
        expect(packed.map(feeds)).toEqual(all.map(feeds));
        for (const [index, text] of packed.entries()) {
          expect(text.length).toBeLessThanOrEqual(all[index]!.length);
        }
      }),
    );
  });

  test.each(["grant", "complete"] as const)(
    "of the %s build are in its memory",
    async (variant) => {
      const memories = ["one", "many"].map(async (devices) => {
        const { code } = await bundleCore(variant, { devices: devices as "one" | "many" });
        const { create } = new Function(`${code};return picogrant`)() as typeof core;
        const memory = new Uint8Array(4096);
        const { start, length } = create(memory, deviceConfig)!;
        return { memory, start: [...start], length: [...length] };
      });
      const [packed, plain] = await Promise.all(memories);
      expect(packed).toEqual(plain);
    },
  );

  test("with a tab of their own are refused: it marks a reference", () => {
    expect(() => pack(["a\tb"])).toThrow("tab");
  });

  test("in two functions are refused: texts belong to the start", () => {
    const tree = bundle(
      `function other() { return "${long}"; } function probe(a) { return "${long}" + other(); }`,
    );
    expect(() => packTexts(tree)).toThrow("2 functions");
  });
});

describe("what inlining took apart is joined", () => {
  const cases: readonly (readonly [rule: string, gone: RegExp | null, body: string])[] = [
    [
      "two branches that set one variable",
      /if/,
      "function probe(a) { var x; if (a > 1) x = 5; else if (a > 0) x = 6; else x = a; return x; }",
    ],
    [
      "branches that set different ones are left alone",
      null,
      "function probe(a) { var x = 0; var y = 0; if (a > 1) x = 5; else y = 6; return x * 10 + y; }",
    ],
    [
      "a branch that adds is left alone",
      null,
      "function probe(a) { var x = 1; if (a > 1) x += 5; else x = 6; return x; }",
    ],
    ["a variable and its value", /var x;/, "function probe(a) { var x; x = a * 2; return x; }"],
    [
      "a choice among numbers",
      /switch|break/,
      "function probe(a) { var x = a; switch (x) { case 0: x = 4; break; case 1: case 2: x += 6; break; default: return 9; } return x; }",
    ],
    [
      "a choice without a default",
      /switch/,
      "function probe(a) { switch (a) { case 0: return 7; case 2: a = 5; } return a; }",
    ],
    [
      "a case that goes on into the next is left alone",
      null,
      "function probe(a) { var x = 0; switch (a) { case 0: x = 4; case 1: x += 6; break; default: x = 1; } return x; }",
    ],
    [
      "what falls through into the default is the default",
      /switch/,
      "function probe(a) { switch (a) { case 0: return 7; case 1: default: a = 5; } return a; }",
    ],
    [
      "a way out in the middle of a case is left alone",
      null,
      "function probe(a) { switch (a) { case 0: return 7; case 1: if (a) break; a = 8; break; default: a = 5; } return a; }",
    ],
    [
      "a way out of a loop in a case is the loop's",
      /switch/,
      "function probe(a) { switch (a) { case 2: for (;;) { a++; if (a > 7) break; } return a; default: a = 5; } return a; }",
    ],
  ];

  test.each(cases)("%s", (_, gone, body) => judge(rejoin, body, gone));
});

describe("what gets the same number in a row is set in one go", () => {
  const cases: readonly (readonly [rule: string, chains: RegExp, body: string])[] = [
    [
      "also where another number comes between",
      /m = k = 0/,
      "var k, m, n; function probe(a) { m = 0; n = -1; k = 0; return [a, k, m, n]; }",
    ],
    [
      "places in an array and properties that are named",
      /m\[1\] = n\.x = -1/,
      "var m = [], n = {}; function probe(a) { m[1] = -1; n.x = -1; return [a, m[1], n.x]; }",
    ],
    [
      "what is set twice ends as it did",
      /n = m = 0/,
      "var m, n; function probe(a) { n = 0; n = 1; n = 0; m = 0; return [a, m, n]; }",
    ],
    [
      "what is set to something else keeps its place",
      /n = m = 0/,
      "var k, m, n; function probe(a) { k = 0; n = k + a; m = n; n = 0; m = 0; return [k, m, n]; }",
    ],
    [
      "a place that must be found first keeps its place",
      /m = n = 1/,
      "var k, m = [], n; function probe(a) { k = 0; m[k] = 0; k = a; m[k] = 0; m = n = 1; return [k, m, n]; }",
    ],
  ];

  test.each(cases)("%s", (_, chains, body) => {
    const tree = bundle(body);
    const expected = answers(generate(tree));
    chainAssignments(tree);
    expect(answers(generate(tree))).toEqual(expected);
    expect(generate(tree)).toMatch(chains);
  });
});
