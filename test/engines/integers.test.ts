// Every value in the core is an integer within [-2^27, 2^27-1] (core/DESIGN.md, Small integers), and every index is within
// its array. The tests rewrite the bundles to check this, and plant faults that the checks must find.

import { describe, expect, test } from "vitest";
import * as core from "../../core/index.ts";
import { deviceConfig } from "../../platform/testing/index.ts";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import type { Script } from "../../targets/bundle/dispatch.ts";
import { type Variant, variants } from "../../targets/bundle/surface.ts";
import { engines } from "../../targets/workbench/engines/catalogue.ts";
import { conformanceScript, readTap } from "../../targets/workbench/engines/script.ts";
import { integersAreChecked } from "./checked-core.ts";
import { checkedBundle, checkIntegers, integerChecks } from "./integer-checks.ts";

const v8 = engines[0]!;

async function failuresOf(bundle: Script, variant: Variant = "complete", isPlain = false) {
  const script = await conformanceScript(variant, checkedBundle(bundle), isPlain, false);
  return readTap(await v8.run(script)).failures;
}

test.each(variants)("no number in the %s build leaves its range", async (variant) => {
  const bundle = await bundleCore(variant, { minify: false });
  for (const isPlain of [false, true])
    expect(await failuresOf(bundle, variant, isPlain)).toEqual([]);
});

/** The readable bundle with one line added at the beginning of an API function. */
async function planted(name: string, line: string): Promise<Script> {
  const { code, map } = await bundleCore("complete", { minify: false });
  const changed = code.replace(new RegExp(`function ${name}\\((.*?)\\) \\{`), `$& ${line}`);
  expect(changed).not.toBe(code);
  return { code: changed, map };
}

describe("a fault planted in the bundle is found, with its position", () => {
  const cases: readonly [string, string, string, RegExp][] = [
    ["an overflow", "tick", "var x = elapsedMs + 134217727;", /tick\.ts:\d+: outside 27 bits: \d+/],
    ["a large product", "wakeIn", "var x = device.rows * 40000000;", /outside 27 bits: 160000000/],
    ["a shift that overflows", "wakeIn", "var x = device.rows << 28;", /outside 27 bits/],
    ["a fraction", "wakeIn", "var x = device.columns / 7;", /tick\.ts:\d+: no integer: \d+\.\d+/],
    ["a negative zero", "wakeIn", "var x = -(device.columns & 0);", /negative zero/],
    [
      "a read out of bounds",
      "tick",
      "var x = device.memory[device.memory.length];",
      /tick\.ts:\d+: outside of (\d+): \1/,
    ],
    [
      "a write out of bounds",
      "tick",
      "device.memory[device.memory.length] = 0;",
      /outside of (\d+): \1/,
    ],
    ["a value that is not a byte", "tick", "device.memory[0] = 256;", /no byte: 256/],
    ["an undefined index", "tick", "var x = device.memory[device.nothing];", /no index: undefined/],
    [
      "an increment beyond the limit",
      "tick",
      "var x = 134217727; x++;",
      /outside 27 bits: 134217728/,
    ],
    ["NaN", "tick", "var x = device.nothing - 1;", /NaN/],
  ];
  for (const [what, name, line, message] of cases) {
    test(what, async () => {
      expect((await failuresOf(await planted(name, line))).join("\n")).toMatch(message);
    });
  }
});

test("this suite runs on the checked core exactly if PICOGRANT_INTEGERS=1", () => {
  const device = core.create(new Uint8Array(4096), { ...deviceConfig, autoStart: 0 })!;
  const readBeyond = () => core.setStatus(device, [65], 0, 2);
  if (integersAreChecked)
    expect(readBeyond).toThrow(/verification-prompt\.ts:\d+: outside of 1: 1/);
  else expect(readBeyond).not.toThrow();
});

describe("the rewritten code has the same meaning", () => {
  const cases: readonly [string, unknown][] = [
    ["var a = [1, 2, 3], i = 0; a[i++] = a[i] + 4; result = a.join() + i;", "6,2,31"],
    ["var a = [1, 2]; a[a[0]] += 5; result = a.join();", "1,7"],
    ["var a = [1, 2], o = { a: a }; o.a[1]++; --o.a[0]; result = a.join();", "0,3"],
    ["var o = { x: 1 }; o['x'] = 2; result = o['x'] + o.x;", 4],
    ["var e = {}; e[e['A'] = 0] = 'A'; result = e[0] + e.A;", "A0"],
    ["var x = 5; var y = x-- - --x; result = y * 10 + (x ^ 1) - ~x;", 26],
    ["var s = 'a' + 1; s += 'b'; result = s;", "a1b"],
  ];
  for (const [code, value] of cases) {
    test(code, () => {
      const checked = checkIntegers(code, "script", (offset) => ({
        place: `at ${offset}`,
        name: "",
      })).toString();
      const run = new Function(`${integerChecks} var result; ${checked}; return result;`);
      const plain = new Function(`var result; ${code}; return result;`);
      expect(run()).toEqual(value);
      expect(plain()).toEqual(value);
    });
  }
});
