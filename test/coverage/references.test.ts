// What a test's name has to say to guard a row of the two documents, and what is no reference to one.

import { expect, test } from "vitest";
import { mistakes } from "./coverage-table.ts";
import { referencesOf } from "./references.ts";
import { documentRows } from "./rows.ts";

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

test("a row's name is one by which a test can refer to it", () => {
  for (const row of documentRows) {
    const { document, section } = row;
    const name = `${document} §${section} row ${row.row}: what it asks for`;
    expect(referencesOf(name)).toEqual({ rows: [row], wrong: [] });
  }
});
