// Constants of the core that depend on each other are held against each other when a bundle is made.

import { expect, it } from "vitest";
import { brokenRules, constants, relations } from "../../targets/bundle/constants.ts";

it("the core's constants agree", () => {
  expect(brokenRules(constants)).toEqual([]);
});

it.each(relations)("%s: not where %s is three times as large", (rule, spoiled) => {
  expect(brokenRules({ ...constants, [spoiled]: 3 * constants[spoiled]! })).toContain(rule);
});
