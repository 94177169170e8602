// `npm run generate` writes files, and tables in files, by running the tests that otherwise compare them.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { spliced } from "../targets/workbench/script-options.ts";

export const isGenerating = process.env.PICOGRANT_GENERATE !== undefined;

/** @param name the file's name in the repository */
export function expectGenerated(name: string, text: string): void {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (isGenerating) writeFileSync(file, text);
  expect(readFileSync(file, "utf8"), "npm run generate updates it").toBe(text);
}

/** A Markdown page marks the place of a table with the table's name. */
export function expectTables(page: string, tables: Readonly<Record<string, () => string>>): void {
  const before = readFileSync(new URL(`../${page}`, import.meta.url), "utf8");
  const made = Object.entries(tables);
  expectGenerated(
    page,
    made.reduce((text, [table, make]) => spliced(text, table, make()), before),
  );
}
