// Tests that pass and guard nothing, or not all that they seem to: expectations.test.ts demands that they are found. Their
// names say RFC 8628 §3.5, as those do that are looked at.

import { expect, it } from "vitest";

it("RFC 8628 §3.5: expects nothing", () => {});

it("RFC 8628 §3.5: one expectation that nobody hears of, and one that counts", () => {
  expect(1).toBe(1);
  try {
    expect(2).not.toBe(3);
  } catch {
    // Nobody hears of it.
  }
});

it("RFC 8628 §3.5: a promise that nobody waits for", async () => {
  void expect(Promise.resolve(1))
    .resolves.toBe(1)
    .catch(() => undefined);
  await expect(Promise.reject(new Error("no"))).rejects.toThrow("no");
});

it("RFC 8628 §3.5: one in a function that is called twice", () => {
  const one = (value: number) => expect(value).toBeGreaterThan(0);
  one(1);
  one(2);
});

it("guards no row, and is not looked at", () => {});
