// The build joins most functions into one (targets/bundle/dispatch.ts). Random programs must behave the same
// afterwards, on every installed engine that is not slow. The build must stop at code that cannot become a branch.

import fc from "fast-check";
import { expect, test } from "vitest";
import { dispatch } from "../../targets/bundle/dispatch.ts";
import { CALL, EXPORTS } from "../../targets/bundle/surface.ts";
import { engines } from "../../targets/workbench/engines/catalogue.ts";

const map = JSON.stringify({ version: 3, sources: ["a.js"], names: [], mappings: "AAAA" });

function scriptOf(body: string): string {
  return `var picogrant;!function(){${body}}();\n`;
}

function dispatched(body: string, outside: readonly string[] = []): string {
  return dispatch({ code: scriptOf(body), map }, outside).code;
}

const prelude = `var seen,exported;function note(x){seen.push(x);return x}
  function ${CALL}(f,a,b){return f(a,b)}
  function ${EXPORTS}(a,b,c,d){exported=[a,b,c,d]}\n`;

/** Adds code that calls each export and prints everything that the program has recorded. */
function tracing(code: string, isDispatched: boolean): string {
  const calls = [0, 1, 2, 3].map((number) =>
    isDispatched
      ? `seen.push(picogrant[0](${number},3,4));`
      : `seen.push(exported[${number}]?exported[${number}](3,4):void 0);`,
  );
  return `seen=[];${code}seen.push(picogrant[1](3,4));${calls.join("")}print(seen.join());`;
}

const count = 6;
// Names with one letter, which some programs also use as variables.
const names = ["f", "c", "o", "u", "I", "W"];
const later = (by: number): fc.Arbitrary<number> => fc.integer({ min: by + 1, max: count - 1 });

/** An expression in the function with this number. It calls only functions with higher numbers, so programs end. */
const expression = (by: number): fc.Arbitrary<string> =>
  fc.letrec<{ x: string }>((tie) => ({
    x: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("e", "n", "1", "2", "t"),
      ...(by + 1 < count
        ? [
            fc.tuple(later(by), tie("x"), tie("x")).map(([to, a, b]) => `${names[to]}(${a},${b})`),
            later(by).map((to) => `${names[to]}(e)`),
            fc
              .tuple(tie("x"), later(by), later(by))
              .map(([a, one, other]) => `(${a}?${names[one]}:${names[other]})(e,1)`),
          ]
        : []),
      // The table's functions T.a (named `u`) and T.b do not call through the table, so programs end.
      ...(by < 3 ? [tie("x").map((a) => `${CALL}(T.${by < 0 ? "a" : "b"},${a},n)`)] : []),
      fc
        .tuple(tie("x"), fc.constantFrom("+", "&", "<", "&&"), tie("x"))
        .map(([a, op, b]) => `(${a}${op}${b})`),
      tie("x").map((a) => `note(${a})`),
    ),
  })).x;

/** Loops, blocks, and returns out of them. `t` counts, so that each loop ends. */
const statement = (by: number): fc.Arbitrary<string> =>
  fc.letrec<{ s: string }>((tie) => ({
    s: fc.oneof(
      { maxDepth: 3 },
      expression(by).map((x) => `e=${x}&255;`),
      expression(by).map((x) => `if(${x})return ${by + 1};`),
      fc.tuple(expression(by), tie("s"), tie("s")).map(([x, a, b]) => `if(${x}){${a}}else{${b}}`),
      fc.tuple(tie("s")).map(([a]) => `for(var i=0;i<2&&t++<9;i++){${a}}`),
      expression(by).map((x) => `while(t++<4){if(${x})break;n++}`),
      fc.tuple(tie("s"), tie("s")).map(([a, b]) => `switch(n&3){case 1:${a}break;default:${b}}`),
    ),
  })).s;

/** A local variable may have the name of an outer function. */
const bodyOf = (by: number): fc.Arbitrary<string> =>
  fc
    .tuple(statement(by), expression(by), fc.constantFrom(...names.slice(0, by), "r"))
    .map(([s, x, local]) => `var t=0,q,${local}=5;${s}return note(${x})&15|${local}|q`);

const program = fc
  .tuple(
    fc.tuple(...names.map((_name, at) => bodyOf(at))),
    fc.tuple(expression(-1), expression(-1), expression(4)),
    fc.shuffledSubarray(
      names.map((_name, at) => at),
      { minLength: count },
    ),
    fc.subarray(["f", "c"]),
  )
  .map(([bodies, [create, tick, table], order, outside]) => {
    const functions = order.map((at) => `function ${names[at]}(e,n){${bodies[at]}}`);
    const late = functions.splice(3);
    const inside = (text: string): string => `function(e,n){var t=1;return ${text}}`;
    const body = `${functions.join("")}var T={a:u,b:${inside(table)}};${late.join("")}
      ${EXPORTS}(${inside(tick)},0,o,W);picogrant=[${CALL},${inside(create)},7]`;
    return { body, outside };
  });

test("random programs behave the same on every installed engine", async () => {
  const programs = fc.sample(program, 200);
  const scripts = [false, true].map((isDispatched) => {
    const traces = programs.map(({ body, outside }) =>
      tracing(isDispatched ? dispatched(body, outside) : scriptOf(body), isDispatched),
    );
    return prelude + traces.join("\n");
  });
  const there = engines.filter((engine) => engine.version() && !engine.isSlow);
  expect(there.length).toBeGreaterThan(2);
  for (const engine of there) {
    const [before, after] = await Promise.all(scripts.map((script) => engine.run(script)));
    expect(before!.trim().split("\n"), engine.name).toHaveLength(programs.length);
    expect(after, engine.name).toBe(before);
  }
});

test("functions that only `create` calls, and functions that the plan names, stay separate", () => {
  const code = dispatched(
    "function f(e){return e}function c(e){return o(e)+f(e)}function o(e){return 2*e}function u(e){return f(e)}" +
      `${EXPORTS}(u);picogrant=[${CALL},function(e){return c(e)}]`,
    ["f"],
  );
  for (const stays of ["c", "o", "f"]) expect(code).toContain(`function ${stays}(`);
  expect(code).not.toContain("function u(");
  expect(code).toContain("picogrant=[call$,function(e){return c(e)}]");
});

const strange: readonly [what: string, body: string][] = [
  ["this", "function f(){return this}call$exports(f)"],
  ["its arguments object", "function f(){return arguments.length}call$exports(f)"],
  ["a nested function", "function f(e){return function(){return e}}call$exports(f)"],
  ["with", "function f(e){with(e)return 1}call$exports(f)"],
  ["a try, whose error has a name", "function f(e){try{e()}catch(n){}}call$exports(f)"],
  ["a label", "function f(e){a:for(;;)break a}call$exports(f)"],
  ["an assignment to a name", "function f(){}f=1;call$exports(f)"],
  ["an increment of a name", "function f(){}f++;call$exports(f)"],
  ["a property of a function", "function f(){return f.length}call$exports(f)"],
  ["the type of a function", "function f(){return typeof f}call$exports(f)"],
  ["a named function expression", "call$exports(function f(){return f()})"],
  ["a call of a variable", "function f(e){return e(1)}call$exports(f)"],
  ["a call without a name", "function f(e){return e[1](1)}call$exports(f)"],
];

test.each(strange)("the build stops at %s, and reports the position", (_what, body) => {
  expect(() => dispatched(body)).toThrow(/a\.js:1: the build cannot make a branch of this/);
});
