// Every row of the two specifications and every listed section of the RFCs has a test, on each side that it concerns.

import { beforeAll, expect, test } from "vitest";
import {
  cover,
  coverStandards,
  gaps,
  mistakes,
  type NamedTest,
  namedTests,
} from "./coverage-table.ts";
import { referencesOf } from "./rows.ts";

let tests: readonly NamedTest[];
beforeAll(async () => {
  tests = await namedTests();
});

test("every row and every section has its tests (npm run tool -- coverage)", () => {
  expect([...gaps(cover(tests)), ...gaps(coverStandards(tests))]).toEqual([]);
});

test("every reference in a test's name is to an existing row or to a listed section", () => {
  expect(mistakes(tests)).toEqual([]);
});

test("a row without a test on one side is reported", () => {
  const service = { name: "device doc §2.1 row interval: it", file: "test/service/a.test.ts" };
  const lines = gaps(cover([service]));
  expect(lines).toContain("device doc §2.1 interval: no test of the device");
  expect(lines).not.toContain("device doc §2.1 interval: no test of the service");
  expect(lines).not.toContain("device doc §5.6 the video API's scopes: no test of the device");
});

test.each([
  ["RFC 8628 §9.9: it", ["RFC 8628 §9.9"]],
  ["RFC 8628 §3.50: it", ["RFC 8628 §3.50"]],
  ["RFC 8628 §3.5.9: it", ["RFC 8628 §3.5.9"]],
  ["RFC 8628 §3.5, §9.9 and §3.2: it", ["RFC 8628 §9.9"]],
  ["a group of RFC 8628 §9.9 > it (RFC 6749 §99)", ["RFC 8628 §9.9", "RFC 6749 §99"]],
  ["RFC 8628 §3.5. It (RFC 8628 §3.2)", []],
  ["RFC 9449 §4.3 rule 7 and §4.3 rule 13: it", ["RFC 9449 §4.3 rule 13"]],
  ["RFC 8628: it, RFC 9110 §99.9: of another standard", []],
])("%s: names a section that is not listed: %j", (name, unknown) => {
  const file = "test/core/a.test.ts";
  const lines = unknown.map((one) => `${file}: no line in coverage/standards.ts: ${one}`);
  expect(mistakes([{ name, file }])).toEqual(lines);
});

test("a section of an RFC without a test on one side is reported", () => {
  const service = { name: "RFC 8628 §3.5: it", file: "test/service/a.test.ts" };
  const lines = gaps(coverStandards([service]));
  expect(lines).toContain("RFC 8628 §3.5: no test of the device");
  expect(lines).not.toContain("RFC 8628 §3.5: no test of the service");
  expect(lines).not.toContain("RFC 8628 §5.2: no test of the device");
});

const INTERVAL = "device doc §2.1 interval";
test.each([
  ["device doc §2.1 row interval: the least wait", [INTERVAL]],
  ["device doc §2.1 row interval", [INTERVAL]],
  ["device doc §2.1 row interval: RFC 8628 §3.5: five seconds", [INTERVAL]],
  ["device doc §2.1 row interval: > any number", [INTERVAL]],
  ["fields > device doc §2.1 row interval: again", [INTERVAL]],
  ["device doc §2.1 row expires_in: longer than interval", ["device doc §2.1 expires_in"]],
  ["device doc §2.1 row interval and row expires_in: x", [INTERVAL, "device doc §2.1 expires_in"]],
  ["device doc §4.5 row part and mine: both", ["device doc §4.5 part and mine"]],
  ["device doc §2.1: the interval is a number", []],
  ["device doc §2.1 fields > interval", []],
])("%s: guards %j", (name, guarded) => {
  const { rows, wrong } = referencesOf(name);
  expect(rows.map(({ document, section, row }) => `${document} §${section} ${row}`)).toEqual(
    guarded,
  );
  expect(wrong).toEqual([]);
});

test.each([
  "device doc §2.1 row interval_s: a number",
  "device doc §2.1 row Interval: a number",
  "device doc §2.1 row interval in seconds",
  "device doc §2 row interval: a number",
  "device doc §2.12 row interval: a number",
  "offer doc §2.1 row interval: a number",
  "other doc §2.1 row interval: a number",
  "device doc §2 fields > §2.1 row interval: a number",
  "device doc §2.1 row interval and row nothing: a number",
])("%s: a reference to a row that does not exist, which is a mistake", (name) => {
  expect(mistakes([{ name, file: "test/core/a.test.ts" }])).toHaveLength(1);
});
