// Constants of the core that depend on each other are held against each other when a bundle is made.

import { expect, it } from "vitest";
import { brokenRules, constants, relations } from "../../targets/bundle/constants.ts";

it("the core's constants agree", () => {
  expect(brokenRules(constants)).toEqual([]);
});

it.each(relations)("%s: not with %j", (rule, spoiled) => {
  expect(Object.keys(constants)).toEqual(expect.arrayContaining(Object.keys(spoiled)));
  expect(brokenRules({ ...constants, ...spoiled })).toContain(rule);
});
