// Each mutant of a small source has an effect only while it is active.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { mutantsOf, reported, withMutants } from "./mutants.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const SMALL = `function small(a, b) {
  const seen = [];
  if (!(a % 2 === 0) && b) seen.push(a + 1);
  return [...seen, ((one) => one ?? "none")(b), a > 1 ? "many" : \`only \${a}\`];
}`;

const mutants = mutantsOf("small.ts", SMALL);

function resultsOf(source: string, active: number): string {
  const make = new Function("globalThis", `${source}; return small;`);
  const small = make({ picograntMutants: { is: (number: number) => number === active } });
  const requested = [0, 1, 2, 3].flatMap((a) => [null, true].map((b) => [a, b]));
  return JSON.stringify(requested.map(([a, b]) => small(a, b) ?? "nothing"));
}

it("a source with all mutants behaves as before while none is active", () => {
  const all = withMutants(SMALL, [...mutants.entries()]);
  expect(resultsOf(all, -1)).toBe(resultsOf(SMALL, -1));
});

it.each(
  [...mutants.entries()].map(([number, one]) => ({ number, one, name: reported(one, SMALL) })),
)("$name", ({ number, one: { start, end, text } }) => {
  const all = withMutants(SMALL, [...mutants.entries()]);
  const alone = SMALL.slice(0, start) + (text ?? "{}") + SMALL.slice(end);
  expect(resultsOf(all, number)).toBe(resultsOf(alone, number));
  expect(resultsOf(all, number)).not.toBe(resultsOf(SMALL, -1));
});

it.each(["core", "platform"])("%s can be parsed with all of its mutants", (floor) => {
  const names = readdirSync(root + floor, { recursive: true, encoding: "utf8" });
  for (const file of names.filter((name) => name.endsWith(".ts"))) {
    const source = readFileSync(`${root}${floor}/${file}`, "utf8");
    const all = withMutants(source, [...mutantsOf(file, source).entries()]);
    expect(() => parseAst(all, { lang: "ts" }), file).not.toThrow();
  }
});
