// The functions in one array (targets/bundle/functions.ts): random programs do the same with it, what `create` alone
// calls stays out of it, and where a function could notice that it is an element, the build stops.

import fc from "fast-check";
import { expect, test } from "vitest";
import { gatherFunctions } from "../../targets/bundle/functions.ts";

const map = JSON.stringify({ version: 3, sources: ["a.js"], names: [], mappings: "AAAA" });

/** A file such as the build makes, with these statements in it. */
function scriptOf(body: string): string {
  return `var picogrant;!function(){${body}}();\n`;
}

function gather(body: string): string {
  return gatherFunctions({ code: scriptOf(body), map }).code;
}

/** What the program does, seen from outside: each exported function is called, and everything that is noted. */
function trace(code: string): unknown {
  return new Function(
    `var seen=[];function note(x){seen.push(x);return x}${code}
     for(var k in picogrant)seen.push(k,picogrant[k](3,4));return seen`,
  )();
}

const count = 6;
// Names of one letter, some of which are variables elsewhere, as uglify-js gives them.
const names = ["f", "c", "o", "u", "I", "W"];

/** An expression in the function of that number: it calls those that come later, so that every program ends. */
const expression = (by: number): fc.Arbitrary<string> =>
  fc.letrec<{ x: string }>((tie) => ({
    x: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("e", "n", "1", "2", "t"),
      ...(by + 1 < count
        ? [
            fc
              .tuple(fc.integer({ min: by + 1, max: count - 1 }), tie("x"), tie("x"))
              .map(([to, a, b]) => `${names[to]}(${a},${b})`),
            fc
              .tuple(
                tie("x"),
                fc.integer({ min: by + 1, max: count - 1 }),
                fc.integer({ min: by + 1, max: count - 1 }),
              )
              .map(([a, one, other]) => `(${a}?${names[one]}:${names[other]})(e,1)`),
          ]
        : []),
      fc
        .tuple(tie("x"), fc.constantFrom("+", "&", "<", "&&"), tie("x"))
        .map(([a, op, b]) => `(${a}${op}${b})`),
      tie("x").map((a) => `note(${a})`),
    ),
  })).x;

/** Its own variables may have names that are other functions' outside. */
const bodyOf = (by: number): fc.Arbitrary<string> =>
  fc
    .tuple(expression(by), expression(by), fc.constantFrom(...names.slice(0, by), "r"))
    .map(([a, b, local]) => `var t=0,${local}=5;t=${a};return note(${b})&15|${local}`);

const program = fc
  .tuple(
    fc.tuple(...names.map((_name, at) => bodyOf(at))),
    fc.tuple(expression(-1), expression(-1), expression(-1)),
    fc.shuffledSubarray(
      names.map((_name, at) => at),
      { minLength: count },
    ),
  )
  .map(([bodies, [create, tick, table], order]) => {
    const functions = order.map((at) => `function ${names[at]}(e,n){${bodies[at]}}`);
    const late = functions.splice(3);
    const inside = (text: string): string => `function(e,n){var t=1;return ${text}}`;
    return `${functions.join("")}var T={a:f,b:${inside(table)}};${late.join("")}
      picogrant={create:${inside(create)},tick:${inside(tick)},stop:o,table:T.b,named:T.a}`;
  });

test("random programs do the same", () => {
  fc.assert(
    fc.property(program, (body) => {
      expect(trace(gather(body))).toEqual(trace(scriptOf(body)));
    }),
    { numRuns: 300 },
  );
});

test("what `create` alone comes to stays a function of its own, and goes with `create`", () => {
  const code = gather(
    "function f(e){return e}function c(e){return o(e)+f(e)}function o(e){return 2*e}" +
      "picogrant={create:function(e){return c(e)},tick:f}",
  );
  expect(code).toMatch(/=Array\(function\(e\)\{return e\}\);/);
  expect(code).toContain("function c(");
  expect(code).toContain("function o(");
  expect(trace(code)).toEqual(["create", 9, "tick", 3]);
});

/** Each would do something else as an element of an array. */
const strange: readonly [what: string, body: string][] = [
  ["this", "function f(){return this}picogrant={tick:f}"],
  ["its arguments object", "function f(){return arguments.length}picogrant={tick:f}"],
  ["a function within", "function f(e){return function(){return e}}picogrant={tick:f}"],
  ["with", "function f(e){with(e)return 1}picogrant={tick:f}"],
  ["a name that is assigned to", "function f(){}f=1;picogrant={tick:f}"],
  ["a name that is counted up", "function f(){}f++;picogrant={tick:f}"],
];

test.each(strange)("the build stops at %s", (_what, body) => {
  expect(() => gather(body)).toThrow("the build cannot put f into an array");
});
