// The inverting of expectations finds tests that assert nothing: those of unheard.test.ts.

import { expect, test } from "vitest";
import { faultsOf, verdictsOn } from "./expectations.ts";

test("a test that expects nothing is found, and an expectation that nobody hears of", () => {
  const found = verdictsOn(["test/coverage/unheard.test.ts"], "ignore");
  expect(found.map(({ sites }) => sites.length)).toEqual([0, 2, 2, 1]);
  const said = found.flatMap(faultsOf).map((line) => line.replace(/:\d+:\d+$/, ""));
  const file = "test/coverage/unheard.test.ts";
  expect(said).toEqual([
    `${file}: RFC 8628 §3.5: expects nothing: expects nothing`,
    `${file}: RFC 8628 §3.5: one expectation that nobody hears of, and one that counts: ` +
      `nothing fails where this is inverted: toBe ${file}`,
    `${file}: RFC 8628 §3.5: a promise that nobody waits for: nothing fails where this is inverted: toBe 1`,
  ]);
});
