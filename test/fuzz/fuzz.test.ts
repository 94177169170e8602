// Foreign bytes in the ordinary test run: the kept corpus, some thousands of new inputs, and documents from a grammar. A
// million inputs: npm run tool -- fuzz.

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { Field, State } from "../../core/index.ts";
import { isFullRun } from "../full-run.ts";
import { coreOf, type LivesCore } from "../lives/core-of.ts";
import { Roll } from "../lives/dice.ts";
import { readableBundle } from "../lives/load-core.ts";
import { freshSeed } from "../seeds.ts";
import { corpusOf, countingCore } from "./corpus.ts";
import { Fuzzer, type FuzzResult } from "./fuzzer.ts";
import { DeviceBench } from "./situations.ts";
import { targets } from "./targets.ts";

const INPUTS = isFullRun ? 3000 : 250;

function failureText({ failure }: FuzzResult): string {
  if (!failure) return "";
  const what = failure.error instanceof Error ? failure.error.message : String(failure.error);
  return `${what}: base64 ${Buffer.from(failure.input).toString("base64")}`;
}

describe("fuzzing", () => {
  it.each(["response", "record", "security-event", "service-form"])(
    `%s: the corpus and ${INPUTS} new inputs break no rule`,
    async (name) => {
      const { core, hits } = await countingCore();
      const seed = freshSeed();
      console.info(`fuzz ${name}: seed ${seed}`);
      const target = targets(core).find((one) => one.name === name)!;
      const corpus = corpusOf(target);
      const result = new Fuzzer(target, hits, corpus, new Roll(seed)).run(INPUTS);
      expect(failureText(result)).toBe("");
      expect(result.runs).toBe(corpus.length + INPUTS);
    },
  );
});

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 40,
});

/** A JSON string literal in which any character may be escaped. */
function literal(text: string, escapes: readonly boolean[]): string {
  const characters = [...text].map((character, i) => {
    const code = character.charCodeAt(0);
    if (escapes[i % escapes.length] || code < 32 || character === '"' || character === "\\") {
      return `\\u${code.toString(16).padStart(4, "0")}`;
    }
    return character;
  });
  return `"${characters.join("")}"`;
}

describe("documents from a grammar (RFC 8259, RFC 6749 §5.1)", () => {
  let bench: DeviceBench;

  beforeAll(async () => {
    const core: LivesCore = coreOf(await readableBundle());
    bench = new DeviceBench(core, "poll", true);
  });

  it("tokens are read whatever stands around them, however they are escaped and spaced", () => {
    const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 3 });
    const other = fc.tuple(
      fc.string({ maxLength: 12 }).map((name) => `x-${name}`),
      fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(
        visible,
        visible,
        fc.array(other, { maxLength: 5 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
        space,
        fc.integer({ min: 1, max: 9 }),
        fc.integer(),
        (access, refresh, others, escapes, gap, chunk, shuffle) => {
          const members = [
            [literal("access_token", escapes), literal(access, escapes)],
            [literal("refresh_token", escapes), literal(refresh, escapes)],
            ['"expires_in"', "3600"],
            ...others.map(([name, value]) => [JSON.stringify(name), value]),
          ];
          const turn = Math.abs(shuffle) % members.length;
          const turned = [...members.slice(turn), ...members.slice(0, turn)];
          const body = turned.map(([name, value]) => `${gap}${name}${gap}:${gap}${value}${gap}`);
          bench.reset();
          bench.answer(200, Buffer.from(`${gap}{${body.join(",")}}${gap}`), chunk);
          expect(bench.device.state).toBe(State.SIGNED_IN);
          expect(bench.region(Field.ACCESS_TOKEN)).toBe(access);
        },
      ),
      { numRuns: isFullRun ? 1000 : 200 },
    );
  });

  it("§8 a document that lacks its end, or has more behind it, brings no tokens", () => {
    fc.assert(
      fc.property(
        visible,
        fc.nat(),
        fc.constantFrom("", "}", ",", "x", "{}"),
        (token, cut, more) => {
          const whole = JSON.stringify({
            access_token: token,
            expires_in: 60,
            list: [1, { a: [] }],
          });
          const text = more ? whole + more : whole.slice(0, cut % whole.length);
          bench.reset();
          bench.answer(200, Buffer.from(text), 7);
          expect(bench.device.state).toBe(State.PENDING);
        },
      ),
      { numRuns: isFullRun ? 1000 : 200 },
    );
  });
});
