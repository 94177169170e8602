// SECURITY.md: each promise names a test, and there is one of that name.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The rows of the table of promises: what is promised, the file and the title of its test. */
function promises(): [string, string, string][] {
  const text = readFileSync(path.join(root, "SECURITY.md"), "utf8");
  const table = text.split("### Promises, each with its test")[1]!.split("\n## ")[0]!;
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("|--"));
  return rows.slice(1).map((row) => {
    const [, promise = "", test = ""] = row.split("|").map((cell) => cell.trim());
    const [, file = "", title = ""] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
    return [promise, file, title];
  });
}

/** Whether a file has a test or a group of tests whose title begins with or holds these words. */
function hasTest(file: string, title: string): boolean {
  const at = path.join(root, file);
  if (title === "" || !existsSync(at)) return false;
  return readFileSync(at, "utf8").includes(title);
}

it("SECURITY.md promises something", () => {
  expect(promises().length).toBeGreaterThan(10);
});

it.each(promises())("%s: %s has the test", (_, file, title) => {
  expect([file, title, hasTest(file, title)]).toEqual([file, title, true]);
});

it("a test that is not there is noticed", () => {
  expect(hasTest("test/security-promises.test.ts", "")).toBe(false);
  expect(hasTest("test/nothing.test.ts", "a title")).toBe(false);
  expect(hasTest("test/platform/last-look.test.ts", ["no", "such", "title"].join(" "))).toBe(false);
});
