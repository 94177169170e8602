// The two passes that shape the bundle: what they make means the same. Each row is a program of which
// `probe` is called from outside; its answers before and after are compared, and the shape is.

import { parse } from "acorn";
import { generate } from "astring";
import { describe, expect, test } from "vitest";
import { inlineFunctions } from "../../targets/firmware/inline.ts";
import { oneDevice } from "../../targets/firmware/one-device.ts";

/** The function declarations that are left, and the answers for small integers. */
function outcome(code: string): { functions: string[]; answers: unknown[] } {
  const functions = [...code.matchAll(/function (\w+)/g)].map(([, name]) => name!).sort();
  const probe = new Function(`var api;${code}return api.probe;`)() as (
    a: number,
    b: number,
  ) => unknown;
  const answers: unknown[] = [];
  for (let a = -3; a < 4; a++) for (let b = 0; b < 3; b++) answers.push(probe(a, b));
  return { functions, answers };
}

function wrap(body: string): string {
  return `(function(){${body} api = { probe: probe };})();`;
}

function inlined(body: string): {
  before: ReturnType<typeof outcome>;
  after: ReturnType<typeof outcome>;
} {
  const tree = parse(wrap(body), { ecmaVersion: 5 });
  inlineFunctions(tree, new Set(["probe"]));
  return { before: outcome(wrap(body)), after: outcome(generate(tree)) };
}

const log = "var log = []; function note(x) { log.push(x); log.push(0); return x; } ";

const rows: readonly (readonly [rule: string, left: readonly string[], body: string])[] = [
  [
    "a statement",
    ["probe"],
    "var n = 0; function f(a) { n += a; n *= 2; } function probe(a, b) { n = b; f(a + 1); return n; }",
  ],
  [
    "a parameter that is assigned to leaves the argument alone",
    ["probe"],
    "function f(x) { x += 5; x *= 2; return x; } function probe(a, b) { var y = f(a); return y * 100 + a; }",
  ],
  [
    "a local of the same name is another one",
    ["probe"],
    "function f(b) { var y = b * 2; y++; return y; } function probe(a, b) { var y = 7; var z = f(a); return y + z * 100 + b; }",
  ],
  [
    "a value under the name that a local has",
    ["probe"],
    "function f(x) { var y = x + 1; if (y > 2) return 9; return y; } function probe(a, b) { var y = f(a); return y + b; }",
  ],
  [
    "a name that is argument and result",
    ["probe"],
    "function f(x) { if (!x) return 4; return x * x; } function probe(a, b) { var y = a; y = f(y); return y + b; }",
  ],
  [
    "early returns become branches",
    ["probe"],
    "var n = 0; function f(a) { if (a < 0) { n = 1; return; } if (a === 1) return; n = a; } function probe(a, b) { n = 50; f(a); n += b; return n; }",
  ],
  [
    "an early return in the else",
    ["probe"],
    "var n = 0; function f(a) { if (a > 0) n = 2; else { n = 3; return; } n += 10; } function probe(a) { f(a); return n; }",
  ],
  [
    "a branch that may go on is left alone",
    ["f", "probe"],
    "var n = 0; function f(a) { if (a > 0) { if (a > 1) return; n = 2; } n += 10; } function probe(a) { n = 0; f(a); return n; }",
  ],
  [
    "a return out of a loop is left alone",
    ["f", "probe"],
    "function f(a) { for (var i = 0; i < 5; i++) { if (i === a) return i; } return -1; } function probe(a) { var r = f(a); return r; }",
  ],
  [
    "in the place of a return, loops may return",
    ["probe"],
    "function f(a) { for (var i = 0; i < 5; i++) { if (i === a) return i; } return -1; } function probe(a) { return f(a); }",
  ],
  [
    "a function without a value is not returned",
    ["f", "probe"],
    "var n = 0; function f(a) { n += a; n++; } function probe(a) { return f(a); }",
  ],
  [
    "a test",
    ["probe"],
    "var n = 0; function f(a) { n += a; if (n > 2) return true; return false; } function probe(a, b) { n = b; if (!f(a)) return n; return -n; }",
  ],
  [
    "in an else-if",
    ["probe"],
    "var n = 0; function f(a) { n += a; if (n > 2) return true; return false; } function probe(a, b) { n = b; if (a === 2) n = 9; else if (f(a)) n++; return n; }",
  ],
  [
    "a property named like a parameter stays",
    ["probe"],
    "var o = { x: 1 }; function f(x) { o.x = x; o.x++; } function probe(a) { f(a + 1); return o.x; }",
  ],
  [
    "a tiny expression everywhere",
    ["probe"],
    "var s = [4, 5, 6]; function f(i) { return s[i] > 4; } function probe(a, b) { return f(b) ? f(0) : a; }",
  ],
  [
    "an argument with an effect is not moved",
    ["note", "probe"],
    `${log}function f(x) { return log.length > 1e6 && x; } function probe(a) { log = []; f(note(a)); f(note(1)); return log.join(); }`,
  ],
  [
    "arguments are evaluated once and in order",
    ["note", "probe"],
    `${log}function f(x, y) { log.push(y + x + x); } function probe(a, b) { log = []; f(note(a), note(b)); return log.join(); }`,
  ],
  [
    "a changing variable is read when it is passed",
    ["probe"],
    "var n = 0; function f(x) { n++; n += x; } function probe(a) { n = a; f(n); return n; }",
  ],
  [
    "a function whose name is handed on stays",
    ["f", "probe"],
    "function f(x) { return x + 1; } function probe(a) { var g = f; return g(a); }",
  ],
  [
    "recursion stays",
    ["f", "probe"],
    "function f(x) { return x > 0 ? f(x - 1) + 2 : 0; } function probe(a) { return f(a); }",
  ],
  [
    "in a loop, each round anew",
    ["probe"],
    "var n = 0; function f(i) { var t = i; if (i > 1) t += 10; n += t; } function probe(a, b) { n = 0; for (var i = 0; i < b + 2; i++) f(i); return n; }",
  ],
  [
    "at the head of a loop it stays",
    ["f", "probe"],
    "function f(a) { if (a < 0) return 3; return a; } function probe(a, b) { for (var i = f(a); i < 5; i++) b += i; return b; }",
  ],
  [
    "in the branches of ?:",
    ["probe"],
    "var n = 0; function f(a) { n += a; if (n > 3) return n; return -1; } function probe(a, b) { n = b; var y = a > 0 ? f(a) : 7; return y > 2 ? y : f(y); }",
  ],
  [
    "a value under a property",
    ["probe"],
    "var o = { p: 0 }; function f(p) { if (p > 1) return 9; return o.p + p; } function probe(a, b) { o.p = b; o.p = f(a); return o.p; }",
  ],
  [
    "in a switch",
    ["probe"],
    "var n = 0; function f(a) { if (a < 0) return; n = a; } function probe(a, b) { n = 5; switch (b) { case 1: f(a); break; case 2: n = 8; break; default: n++; } return n; }",
  ],
];

describe("functions put in where they are called", () => {
  test.each(rows)("%s", (_rule, left, body) => {
    const { before, after } = inlined(body);
    expect(after.answers).toEqual(before.answers);
    expect(after.functions).toEqual([...left].sort());
  });
});

describe("one device", () => {
  const source = wrap(
    "function make(n) { var device = { shown: n, hidden: n + 1, other: 0, third: 0 }; return device; }" +
      "function step(device, by) { device.hidden += by; device.other++; device.shown = device.hidden; }" +
      "function probe(device, by) { var kept = device; step(device, by); return kept.shown + kept.other; }" +
      "probe.make = make;",
  );

  test("a kept property is the record's, every other a variable; nothing is handed over", () => {
    const tree = parse(source, { ecmaVersion: 5 });
    oneDevice(tree, new Set(["shown", "other"]), new Set(["probe", "make"]));
    const code = generate(tree);
    expect(code).not.toMatch(/\.hidden|\.third|step\(device/);
    const run = (text: string): unknown[] => {
      const probe = new Function(`var api;${text}return api.probe;`)();
      const device = probe.make(4);
      return [probe(device, 2), probe(device, 3), device.shown, device.hidden];
    };
    expect(run(code)).toEqual([...run(source).slice(0, 3), undefined]);
  });

  test("what a host reads and the core reads often is in both, at every moment", () => {
    const source =
      "(function(){function make(n) { var device = { level: n, n: 0 }; return device; }" +
      "function set(device, n) { device.level = device.n = n; } " +
      "function probe(device, a) { set(device, a); if (device.level > 2) device.level = 9;" +
      " return device.level + device.level * 10 + device.level * 100; }" +
      "probe.make = make; api = { probe: probe };})();";
    const tree = parse(source, { ecmaVersion: 5 });
    oneDevice(tree, new Set(["level"]), new Set(["probe", "make"]));
    const code = generate(tree);
    expect(code.match(/device\.level/g)).toHaveLength(2);
    expect(code).toContain("return $level + $level * 10");
    const run = (text: string): unknown[] => {
      const probe = new Function(`var api;${text}return api.probe;`)();
      const device = probe.make(4);
      const first = device.level;
      return [first, probe(device, 2), device.level, probe(device, 3), device.level];
    };
    expect(run(code)).toEqual(run(source));
  });

  test("a record that is not the first parameter is refused", () => {
    const tree = parse("(function(){function f(a, device){return device.x;}})();", {
      ecmaVersion: 5,
    });
    expect(() => oneDevice(tree, new Set(), new Set())).toThrow("f takes the device");
  });
});
