// The packed tables that are shipped are what the readable ones (core/tables) make. `npm run generate` writes them.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ErrorCode } from "../../core/complete.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { grammarRows } from "../../core/tables/grammar.ts";
import { memberRows } from "../../core/tables/members.ts";
import {
  grammarStates,
  packedErrorKinds,
  packedErrorNames,
  packedGrammar,
  packedNames,
} from "../../core/tables/packed.ts";
import { Scan } from "../../core/text/json-scanner.ts";
import { ERROR_ROWS } from "../error-rows.ts";

/** States without a row: a string's bytes, the end, an error; and ends of values. */
const OTHERS: Readonly<Record<string, number>> = {
  ITSELF: 0,
  STRING: Scan.STRING,
  UNICODE: Scan.UNICODE,
  INVALID: Scan.INVALID,
  CLOSE: Scan.CLOSE,
  NUMBER_END: Scan.NUMBER_END,
  WORD_END: Scan.WORD_END,
};

/** A file of constants, in lines of at most 100 columns. */
function fileOf(head: string, texts: Readonly<Record<string, string>>): string {
  let file = `${head} Made by \`npm run generate\`: do not edit.\n`;
  for (const [name, text] of Object.entries(texts)) {
    const pieces = text.match(/.{1,80}/g)!.map((piece) => quoted(piece));
    const value = pieces.length === 1 ? ` ${pieces[0]}` : `\n  ${pieces.join(" +\n  ")}`;
    file += `\nexport var ${name} =${value};\n`;
  }
  return file;
}

/** A string as the formatter writes it. */
function quoted(text: string): string {
  if (!text.includes('"')) return JSON.stringify(text);
  if (text.includes("'")) throw new Error("both kinds of quotes");
  return `'${text.replace(/\\/g, "\\\\")}'`;
}

const FILES: Readonly<Record<string, string>> = {
  "device/tables.ts": fileOf("// Names of members and errors, from ../tables.", {
    MEMBERS: packedNames(memberRows()),
    ERRORS: packedErrorNames(errorRows()),
    ERROR_KINDS: packedErrorKinds(errorRows()),
  }),
  "text/tables.ts": fileOf("// The grammar of JSON, from ../tables.", {
    GRAMMAR: packedGrammar(grammarRows(), OTHERS),
  }),
};

describe("DESIGN.md Tables: what is shipped is made of what is read", () => {
  it.each(Object.entries(FILES))("%s", (file, made) => {
    const path = fileURLToPath(new URL(`../../core/${file}`, import.meta.url));
    if (process.env.PICOGRANT_GENERATE) writeFileSync(path, made);
    expect(readFileSync(path, "utf8"), "npm run generate brings it up to date").toBe(made);
  });

  it("the numbers of the scanner's states are where their rows begin", () => {
    const states = grammarStates(grammarRows());
    const named = Object.entries(states).filter(([name]) => name in Scan);
    expect(named.length).toBeGreaterThan(6);
    for (const [name, at] of named)
      expect(`${name} ${Scan[name as keyof typeof Scan]}`).toBe(`${name} ${at}`);
    // No row begins where a state without one is.
    for (const other of [Scan.STRING, Scan.UNICODE, Scan.INVALID, Scan.END]) {
      expect(Object.values(states)).not.toContain(other);
    }
  });
});

it("the table of errors has the names and numbers of test/error-rows.ts, and no others", () => {
  const names = errorRows().flatMap((row) => row.names);
  expect(names.toSorted()).toEqual(ERROR_ROWS.flatMap(({ wire }) => wire).toSorted());
  for (const { number, name } of ERROR_ROWS) expect(ErrorCode[number]).toBe(name);
  expect(Object.values(ErrorCode).filter((value) => typeof value === "number")).toHaveLength(
    ERROR_ROWS.length + 1,
  );
});
