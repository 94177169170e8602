// Constants of the core that depend on each other are held against each other when a bundle is made.

import { expect, it } from "vitest";
import { brokenRules, constants, relations } from "../../targets/bundle/constants.ts";

it("the core's constants agree", () => {
  expect(brokenRules(constants)).toEqual([]);
});

it.each(relations)("%s: not with every change of one constant alone", (_, holds) => {
  const changes = Object.entries(constants).flatMap(([name, value]) =>
    [value + 1, value - 1, 2 * value, value >> 1, 1e10].map((other) => ({ [name]: other })),
  );
  expect(changes.some((change) => !holds({ ...constants, ...change }))).toBe(true);
});
