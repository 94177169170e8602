// The C border's document against the core: what picogrant.h says exists, exists, and the other way.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Command, Property } from "../../core/index.ts";
import { reasonNames, reasons } from "../../platform/reasons.ts";
import { completeFunctions, grantFunctions } from "../../targets/bundle/surface.ts";
import { enums, membersOf, numbersHeader } from "../../targets/workbench/host/generate.ts";

const folder = fileURLToPath(new URL("../../targets/host/", import.meta.url));
const header = readFileSync(`${folder}portable/picogrant.h`, "utf8");
const border = readFileSync(`${folder}engines/picogrant.c`, "utf8");

/** The quoted names of a table in picogrant.c. */
function namesIn(table: string): string[] {
  const text = border.slice(border.indexOf(`${table}[`));
  const list = text.slice(text.indexOf("{"), text.indexOf("}"));
  return [...list.matchAll(/"(\w+)"/g)].map((match) => match[1]!);
}

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

it("gives the reasons that all hosts share to C, by their numbers from 1 on (platform/reasons.ts)", () => {
  const numbers = [...numbersHeader().matchAll(/^ {2}PG_REASON_(\w+) = (\d+),$/gm)];
  const name = (constant: string): string =>
    constant.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  expect(numbers.map(([, constant, number]) => [name(constant!), Number(number)])).toEqual([
    ["none", 0],
    ...reasonNames.map((reason, at) => [reason, at + 1]),
  ]);
  for (const { text } of reasons) expect(numbersHeader()).toContain(JSON.stringify(text));
});

it("every number that the host's C files name is generated", () => {
  const known = numbersHeader();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.[ch]$/.test(file)) continue;
    const text = readFileSync(`${folder}${file}`, "utf8");
    const prefixes = Object.keys(enums).join("|");
    for (const [name] of text.matchAll(new RegExp(`PG_(${prefixes})_[A-Z_]+`, "g"))) {
      const isProperty = header.includes(`  ${name},`);
      expect(isProperty || new RegExp(`${name}\\b`).test(known), `${file}: ${name}`).toBe(true);
    }
  }
});

it("calls functions whose names the bundle keeps", () => {
  const functions: readonly string[] = [...grantFunctions, ...completeFunctions];
  expect(namesIn("function_names").filter((name) => !functions.includes(name))).toEqual([]);
});

it("gives C the place of each property that a host may read", () => {
  const list = /enum pg_property \{\n([\s\S]*?)\n\};/.exec(numbersHeader())![1]!;
  const places = [...list.matchAll(/PG_(\w+) = (\d+),/g)];
  expect(places.map((match) => [match[1], Number(match[2])])).toEqual(
    Object.keys(Property).map((name, place) => [name, place]),
  );
});
