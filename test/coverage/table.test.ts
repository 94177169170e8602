// Every row of the two documents has a test on each side that it concerns, and the table in the
// repository says which.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documentRows, type Row } from "./rows.ts";
import { cover, gaps, markdown, namedTests, proves } from "./table.ts";

const rowOf = (section: string, row: string): Row =>
  documentRows.find((each) => each.section === section && each.row === row)!;

test("each row has its tests, and test/COVERAGE.md is up to date (npm run coverage:table)", async () => {
  const covered = cover(await namedTests());
  expect(gaps(covered)).toEqual([]);
  const kept = readFileSync(new URL("../COVERAGE.md", import.meta.url), "utf8");
  expect(kept).toBe(markdown(covered));
}, 240_000);

test("a row without a test on a side is a gap", () => {
  const service = { name: "device doc §2.1 row interval: it", file: "test/service/a.test.ts" };
  const lines = gaps(cover([service]));
  expect(lines).toContain("device doc §2.1 interval: no test of the device");
  expect(lines).not.toContain("device doc §2.1 interval: no test of the service");
  expect(lines).not.toContain("device doc §5.6 the video API's scopes: no test of the device");
});

test.each([
  ["device doc §2.1 row interval: the least wait", "2.1", "interval", true],
  ["device doc §2.1 row expires_in: a number", "2.1", "interval", false],
  ["device doc §2 row interval", "2.1", "interval", false],
  ["device doc §2.12 row interval", "2.1", "interval", false],
  ["offer doc §2.1 row interval", "2.1", "interval", false],
  ["RFC 8628 §2.1 row interval", "2.1", "interval", false],
  ["device doc §7: every error > §7 Poll: 403 slow_down", "7", "Poll: 403 slow_down", true],
])("%s: of %s %s: %s", (name, section, row, expected) => {
  expect(proves(name, rowOf(section, row))).toBe(expected);
});
