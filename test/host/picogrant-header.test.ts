// The C border's document against the core: what picogrant.h says exists, exists, and the other way.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Command } from "../../core/index.ts";
import { reasonNames, reasons } from "../../platform/reasons.ts";
import {
  callProperties,
  completeFunctions,
  deviceProperties,
  grantFunctions,
} from "../../targets/bundle/surface.ts";
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
  const ofCore = numbers.filter(([, name]) => !name!.startsWith("PG_REASON_"));
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

it("calls functions and reads properties whose names the bundle keeps", () => {
  const functions: readonly string[] = [...grantFunctions, ...completeFunctions];
  const properties: readonly string[] = [...deviceProperties, ...callProperties];
  expect(namesIn("function_names").filter((name) => !functions.includes(name))).toEqual([]);
  expect(namesIn("property_names").filter((name) => !properties.includes(name))).toEqual([]);
});

it("names as many properties as picogrant.h numbers, in the same order", () => {
  const list = header.slice(header.indexOf("enum pg_property {"));
  const numbered = [...list.slice(0, list.indexOf("PG_PROPERTY_COUNT")).matchAll(/PG_(\w+),/g)];
  const snake = namesIn("property_names").map((name) =>
    name.replace(/[A-Z]/g, "_$&").toUpperCase(),
  );
  expect(numbered.map((match) => match[1])).toEqual(snake);
});
