// The C border's document against the core: what picogrant.h says exists, exists, and the other way.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Command, Property, release } from "../../core/index.ts";
import { reasonNames, reasons } from "../../platform/display/reasons.ts";
import { version } from "../../targets/desktop/command-line.ts";
import { enums, membersOf, numbersHeader } from "../../targets/workbench/host/generate.ts";

const header = readFileSync(
  fileURLToPath(new URL("../../targets/host/portable/picogrant.h", import.meta.url)),
  "utf8",
);

it("names the release of package.json, as the core does", () => {
  const [major, minor, patch] = version().split(/[.-]/).map(Number) as [number, number, number];
  expect(release).toBe(major * 1_000_000 + minor * 1000 + patch);
  expect(numbersHeader()).toContain(`#define PG_VERSION_NUMBER ${release}\n`);
});

it("documents every command of the core", () => {
  for (const [name] of membersOf(Command)) {
    expect(header).toMatch(
      name === "NONE" ? /PG_COMMAND_NONE/ : new RegExp(`^ \\*   ${name} `, "m"),
    );
  }
});

it("gives every number of the core's enums to C, each once", () => {
  const numbers = [...numbersHeader().matchAll(/^ {2}(PG_\w+) = (-?\d+),$/gm)];
  const expected = Object.entries(enums).flatMap(([name, values]) =>
    membersOf(values).map(([member, value]) => [`PG_${name}_${member}`, String(value)]),
  );
  expected.push(...Object.keys(Property).map((name, place) => [`PG_${name}`, String(place)]));
  const ofCore = numbers.filter(([, name]) => !/^PG_(?:REASON|PART|FUNCTION)_/.test(name!));
  expect(ofCore.map((match) => [match[1], match[2]])).toEqual(expected);
  expect(new Set(expected.map(([name]) => name)).size).toBe(expected.length);
});

it("gives the reasons that all hosts share to C, by their numbers from 1 on (platform/display/reasons.ts)", () => {
  const numbers = [...numbersHeader().matchAll(/^ {2}PG_REASON_(\w+) = (\d+),$/gm)];
  const name = (constant: string): string =>
    constant.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  expect(numbers.map(([, constant, number]) => [name(constant!), Number(number)])).toEqual([
    ["none", 0],
    ...reasonNames.map((reason, at) => [reason, at + 1]),
  ]);
  for (const { text } of reasons) expect(numbersHeader()).toContain(JSON.stringify(text));
});
