// Tests the build's check that the core's constants agree with each other.

import { expect, it } from "vitest";
import { brokenRules, constants, relations } from "../../targets/bundle/constants.ts";

it("accepts the core's constants", () => {
  expect(brokenRules(constants)).toEqual([]);
});

it.each(relations)("%s: changing only one of the constants is an error", (_, holds) => {
  const changes = Object.entries(constants).flatMap(([name, value]) =>
    [value + 1, value - 1, 2 * value, value >> 1, 1e10].map((other) => ({ [name]: other })),
  );
  expect(changes.some((change) => !holds({ ...constants, ...change }))).toBe(true);
});
