// A newcomer's two commands: the README's first block, which .ci/run reads there as well.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { blocksOf } from "./code-blocks.ts";

it("README's first commands set everything up and run the main job, and the tests", () => {
  const blocks = blocksOf(readFileSync(new URL("../README.md", import.meta.url), "utf8"));
  const first = blocks.find(({ mark }) => mark !== "not: a drawing");
  expect(first?.text).toBe("npm ci && npm start\nnpm ci && npm test\n");
  // The gate finds the two by these words.
  const gate = readFileSync(new URL("../.ci/run", import.meta.url), "utf8");
  expect(gate).toContain("README.md | grep '^npm ci && '");
  expect(packageJson.scripts).toMatchObject({
    start: expect.any(String),
    test: expect.any(String),
  });
});
