// The pass that hands functions over where they are written, and what it leaves alone.

import { parse } from "acorn";
import { generate } from "astring";
import { describe, expect, test } from "vitest";
import { writeExports } from "../../targets/firmware/exports.ts";
import { shortenNames } from "../../targets/firmware/names.ts";
import type { Tree } from "../../targets/firmware/syntax-tree.ts";

interface Api {
  readonly one: (value: number) => number;
  readonly two: (value: number) => number;
  readonly again: (value: number) => number;
}

describe("functions that are handed over", () => {
  const source = `var bundle; (function () {
    var count = 0;
    function one(value) { return value * 2 + count++; }
    function two(value, half) { half = one(value); return half + count; }
    function deep(value) { return value > 0 ? deep(value - 1) + 1 : count; }
    bundle = { one: one, two: two, again: deep };
  })();`;
  const run = (code: string): number[] => {
    const { one, two, again } = new Function(`${code};return bundle;`)() as Api;
    return [one(3), two(4), again(5), one(6)];
  };
  const written = (): string => {
    const tree = parse(source, { ecmaVersion: 5 }) as Tree;
    writeExports(tree);
    return generate(tree);
  };

  test("mean the same, also with short names", () => {
    expect(run(written())).toEqual(run(source));
    expect(run(shortenNames(written()).code)).toEqual(run(source));
  });

  test("stand where they are handed over", () => {
    expect(written()).toMatch(/two: function\s?\(value, half\)/);
    expect(shortenNames(written()).code).not.toMatch(/value|half|count/);
  });

  test("stay where another calls them, or they themselves do", () => {
    expect(written()).toMatch(/function one\(value\)[\s\S]*one: one/);
    expect(written()).toMatch(/function deep\(value\)[\s\S]*again: deep/);
  });
});
