// Every row of the two specifications and every listed section of the RFCs has a test, on each side that it concerns.

import { beforeAll, expect, test } from "vitest";
import { cover, gaps, mistakes, type NamedTest, namedTests } from "./coverage-table.ts";
import { referencesIn } from "./requirements.ts";

let tests: readonly NamedTest[];
beforeAll(async () => {
  tests = await namedTests();
});

test("every row and every section has its tests (npm run tool -- coverage)", () => {
  expect(gaps(cover(tests))).toEqual([]);
});

test("every reference in a test's name is to an existing row or to a listed section", () => {
  expect(mistakes(tests)).toEqual([]);
});

test.each([
  ["device doc §2.1 row interval", "device doc §2.1 interval"],
  ["RFC 8628 §3.5", "RFC 8628 §3.5"],
])("%s without a test on one side is reported", (reference, row) => {
  const lines = gaps(cover([{ name: `${reference}: it`, file: "test/service/a.test.ts" }]));
  expect(lines).toContain(`${row}: no test of the device`);
  expect(lines).not.toContain(`${row}: no test of the service`);
  // These requirements concern only the service, so they need no test of the device.
  for (const other of ["device doc §5.6 the video API's scopes", "RFC 8628 §5.2"])
    expect(lines).not.toContain(`${other}: no test of the device`);
});

const file = "test/core/a.test.ts";

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
  const lines = unknown.map((one) => `${file}: no line in coverage/requirements.ts: ${one}`);
  expect(mistakes([{ name, file }])).toEqual(lines);
});

const INTERVAL = "device doc §2.1 interval";
test.each([
  ["device doc §2.1 row interval: the least wait", [INTERVAL]],
  ["device doc §2.1 row interval", [INTERVAL]],
  ["device doc §2.1 row interval: RFC 8628 §3.5: five seconds", [INTERVAL, "RFC 8628 §3.5"]],
  ["device doc §2.1 row interval: > any number", [INTERVAL]],
  ["fields > device doc §2.1 row interval: again", [INTERVAL]],
  ["device doc §2.1 row expires_in: longer than interval", ["device doc §2.1 expires_in"]],
  ["device doc §2.1 row interval and row expires_in: x", [INTERVAL, "device doc §2.1 expires_in"]],
  ["device doc §4.5 row part and mine: both", ["device doc §4.5 part and mine"]],
  ["device doc §2.1: the interval is a number", []],
  ["device doc §2.1 fields > interval", []],
])("%s: guards %j", (name, guarded) => {
  expect([referencesIn(name), mistakes([{ name, file }])]).toEqual([guarded, []]);
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
  expect(mistakes([{ name, file }])).toHaveLength(1);
});
