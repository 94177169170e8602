// The documentation site is made, which fails where something public has no description or a link leads nowhere.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("npm run docs", () => {
  const said = execFileSync("npm", ["run", "-s", "docs"], { cwd: root, encoding: "utf8" });
  expect(said.trim().endsWith("dist/docs/index.html")).toBe(true);
  expect(existsSync(`${root}dist/docs/index.html`)).toBe(true);
});
