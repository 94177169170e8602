// The rewritten core: it is the same core, and no access outside of its memory and no value that is no byte gets past
// it (invariant "arena").

import { parse } from "acorn";
import { simple } from "acorn-walk";
import { beforeAll, describe, expect, it } from "vitest";
import { deviceConfig } from "../../platform/fake/config.ts";
import { placesOf } from "../../platform/named-core.ts";
import { integersAreChecked } from "../engines/checked-core.ts";
import { coreOf, watchedCoreOf } from "./core-of.ts";
import { readableBundle, shippedBundle } from "./load-core.ts";
import { Violation } from "./violation.ts";
import { evaluateWatched, rewritten, Watch } from "./watched-core.ts";

/** How often a text says `list[index]`. */
function accessesIn(code: string): number {
  let count = 0;
  simple(parse(code, { ecmaVersion: "latest" }), {
    MemberExpression: ({ computed }) => {
      if (computed) count++;
    },
  });
  return count;
}

/** A bundle of one function, called `run`, with a memory of four bytes that is watched. */
function watched(body: string): () => unknown {
  const memory = new Uint8Array(4);
  const watch = new Watch();
  const code = `var picogrant = { run: function (memory, at, other) { ${body} } };`;
  const made = evaluateWatched(code, watch) as { run(...args: unknown[]): unknown };
  watch.memory = memory;
  return () => made.run(memory, { start: [2], size: [1, 7] }, [0]);
}

describe("a memory that is watched", () => {
  it.each([
    ["read behind the end", "return memory[4];"],
    ["read before the start", "return memory[other[0] - 1];"],
    ["read at a fraction", "return memory[other[0] + 0.5];"],
    ["read at nothing", "return memory[undefined];"],
    ["written behind the end", "memory[at.start[0] + 2] = 1;"],
    ["written before the start", "memory[-1] = 1;"],
    ["given more than a byte", "memory[0] = 256;"],
    ["given less than a byte", "memory[0] = -1;"],
    ["given a fraction", "memory[0] = 0.5;"],
    ["given nothing", "memory[0] = undefined;"],
    ["changed behind the end", "memory[4] |= 1;"],
    ["changed to more than a byte", "memory[0] |= 256;"],
    ["counted below nothing", "memory[0]--;"],
    ["read as an index behind the end", "return other[memory[9]];"],
  ])("is not %s", (_what, body) => {
    expect(watched(body)).toThrow(Violation);
    expect(watched(body)).toThrow("arena");
  });

  it("lets everything else be as it is", () => {
    const body = `
      var i = 1, { size } = at;
      memory[i++] = other[0] = 200;
      memory[i] = memory[i - 1] & 15;
      memory[i] |= 32;
      at.size[0]++;
      at.size[1] -= (memory[1], 3);
      other[7] = memory.length;
      return [i, memory[1], memory[2], size[0], size[1], other[0], other[5], other[7]];`;
    expect(watched(body)()).toEqual([2, 200, 40, 2, 4, 200, undefined, 4]);
  });

  it("has a length and its bytes, as on every engine, and nothing else", () => {
    expect(() => rewritten("function f(memory) { memory.fill(0); }")).toThrow("asks for .fill");
  });
});

describe("the bundle's text", () => {
  let codes: readonly string[];

  beforeAll(async () => {
    codes = [await readableBundle(), await shippedBundle()];
  });

  it("is rewritten at every access, and makes the same device of a memory that is large enough", () => {
    for (const code of codes) {
      // With every number checked most of them are made in one place.
      expect(accessesIn(code)).toBeGreaterThan(integersAreChecked ? 20 : 150);
      expect(accessesIn(rewritten(code))).toBe(0);
      const core = coreOf(code);
      const { core: other, watch } = watchedCoreOf(core)!;
      const [memory, twin] = [new Uint8Array(4096), new Uint8Array(4096)];
      watch.memory = twin;
      const device = core.create(memory, deviceConfig)!;
      const made = Object.values(placesOf(other.create(twin, deviceConfig)!));
      expect(made.slice(1)).toEqual(Object.values(placesOf(device)).slice(1));
      expect(made[0]).toBe(twin);
      expect(core.tick(device, 0)).toBeGreaterThan(0);
      expect(twin).toEqual(memory.map((byte) => byte));
    }
  });
});
