// Which functions the build writes where they are called (targets/bundle/README.md, "the bundle").

import { describe, expect, test } from "vitest";
import { markFunctions } from "../../targets/bundle/inlining.ts";

const twoCalls = "a(1); a(2);";
const inPlace = "/** @encourageInlining */ function a";

describe("functions that are marked for the compiler", () => {
  test("a small one that is called twice goes to both places", () => {
    expect(markFunctions(`function a(x) { return x + 1; } ${twoCalls}`)).toContain(inPlace);
  });

  test("one whose copies would be long stays", () => {
    const long = `function a(x) { return ${"x + ".repeat(60)} x; }`;
    expect(markFunctions(`${long} ${twoCalls}`)).toBe(`${long} ${twoCalls}`);
  });

  test.each([
    ["is handed over", "function a(x) { return x; } a(1); a(2); b = a;"],
    ["calls itself", "function a(x) { return x ? a(x - 1) : 0; } a(1); a(2);"],
    ["is called once, where the compiler knows by itself", "function a(x) { return x; } a(1);"],
  ])("one that %s is left alone", (_why, code) => {
    expect(markFunctions(code)).toBe(code);
  });

  test("one that returns from within a loop stays, however small: no label for Espruino", () => {
    const code = `function a(x) { while (x) { if (x--) return 1; } return 0; } ${twoCalls}`;
    expect(markFunctions(code)).toBe(`/** @noinline */ ${code}`);
  });

  test.each([
    ["stays, however small: no label for Espruino", "if (x) { if (y) return 1; y(); }", true],
    ["goes to its places where the block ends with it", "if (x) { y(); return 1; }", false],
  ])("one that returns from a block that goes on %s", (_what, body, stays) => {
    const code = `function a(x) { ${body} return 0; } ${twoCalls}`;
    const mark = stays ? "@noinline" : "@encourageInlining";
    expect(markFunctions(code)).toBe(`/** ${mark} */ ${code}`);
  });
});
