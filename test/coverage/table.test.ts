// Every row of the two documents has a test on each side that it concerns, and the table in the
// repository says which.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { documentRows, type Row } from "./rows.ts";
import {
  type Covered,
  cover,
  gaps,
  markdown,
  type NamedTest,
  namedTests,
  proves,
} from "./table.ts";

const rowOf = (section: string, row: string): Row =>
  documentRows.find((each) => each.section === section && each.row === row)!;

let tests: readonly NamedTest[];
beforeAll(async () => {
  tests = await namedTests();
});

test("each row has its tests, and test/COVERAGE.md is up to date (npm run coverage:table)", () => {
  const covered = cover(tests);
  expect(gaps(covered)).toEqual([]);
  const kept = readFileSync(new URL("../COVERAGE.md", import.meta.url), "utf8");
  expect(kept).toBe(markdown(covered));
});

test("each key of a row is that of a test: none is left of a test that is gone", () => {
  const names = [...new Set(tests.map(({ name }) => name))];
  const unused = documentRows.flatMap((row) =>
    row.keys
      .filter((key) => !names.some((name) => proves(name, { ...row, keys: [key] })))
      .map((key) => `${row.document} §${row.section} ${row.row}: ${key}`),
  );
  expect(unused).toEqual([]);
});

describe("a test that is taken away is missed", () => {
  const line = ({ row }: Covered, side: string) =>
    `${row.document} §${row.section} ${row.row}: no test of the ${side}`;

  test.each(["service", "device"] as const)(
    "the tests of one row of the %s: a gap there",
    (side) => {
      for (const one of cover(tests)) {
        if (one[side].length === 0) continue;
        const gone = new Set<NamedTest>(one[side]);
        const missing = gaps(cover(tests.filter((each) => !gone.has(each))));
        expect(missing).toContain(line(one, side));
        // No neighbour is credited to the row, and no other row loses all it has but by the same tests.
        for (const other of cover([...gone])) {
          const lost = missing.includes(line(other, side));
          expect(lost, line(other, side)).toBe(lost && other[side].length > 0);
        }
      }
    },
  );

  test("any single one: the table is out of date", () => {
    const covered = cover(tests);
    const table = markdown(covered);
    for (const test of new Set(covered.flatMap(({ service, device }) => [...service, ...device]))) {
      const without = covered.map(({ row, service, device }) => ({
        row,
        service: service.filter((one) => one !== test),
        device: device.filter((one) => one !== test),
      }));
      expect(markdown(without), test.name).not.toBe(table);
    }
  });
});

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
  ["device doc §2.1 row expires_in: longer than interval", "2.1", "interval", false],
  ["device doc §2.1 row interval_s: a number", "2.1", "interval", false],
  ["device doc §2.1: the interval is a number", "2.1", "interval", false],
  ["device doc §2.1: interval > RFC 8628 §3.5: five seconds", "2.1", "interval", true],
  ["device doc §2.1 fields > row interval", "2.1", "interval", false],
  ["device doc §2.2 fields > device doc §2.1 row interval", "2.1", "interval", true],
  ["device doc §2 fields > §2.1 row interval", "2.1", "interval", true],
  ["offer doc §2 fields > §2.1 row interval", "2.1", "interval", false],
  ["offer doc > device doc §2.1 row interval, again", "2.1", "interval", true],
  ["device doc §2 row interval", "2.1", "interval", false],
  ["device doc §2.12 row interval", "2.1", "interval", false],
  ["offer doc §2.1 row interval", "2.1", "interval", false],
  ["RFC 8628 §2.1 row interval", "2.1", "interval", false],
  ["device doc §7: every error > §7 Poll: 403 slow_down", "7", "Poll: 403 slow_down", true],
])("%s: of %s %s: %s", (name, section, row, expected) => {
  expect(proves(name, rowOf(section, row))).toBe(expected);
});
