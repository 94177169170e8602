// `picogrant configure --page`: a settings page for one device, or for each line of a table of devices. What is written
// is read back and compared before a file is there. Files are written whole or not at all, and a failure is one line.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError } from "../../platform/configuration/device-config.ts";
import { makeDirectory, reasonOf, writeOwn } from "../../platform/node/files.ts";
import { UsageError } from "../desktop/command-line.ts";
import { makePage, PageError } from "./page-format.ts";

/** @throws UsageError with one line that names the file, or the folder */
function orOneLine<T>(path: string, verb: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new UsageError(`${path}: cannot be ${verb} (${reasonOf(error)})`);
  }
}

/** Makes a folder and those above it, where they are not there. @throws UsageError */
function makeFolder(path: string): void {
  orOneLine(path, "made", () => makeDirectory(path, 0o777));
}

/** Replaces a file; its readers see the old one or the new one. @throws UsageError */
function replaceFile(path: string, content: Uint8Array): void {
  orOneLine(path, "written", () => writeOwn(path, content));
}

/** A member of device.json by its path, in place. */
function put(config: Record<string, unknown>, path: string, text: string): void {
  const names = path.split(".");
  let at = config;
  for (const name of names.slice(0, -1)) {
    at[name] = { ...(at[name] as object | undefined) };
    at = at[name] as Record<string, unknown>;
  }
  const isNumber = /^(limits|display)\./.test(path) && /^\d+$/.test(text);
  at[names.at(-1)!] = isNumber ? Number(text) : text;
}

/** RFC 4180: cells may stand in quotes, with quotes doubled. */
export function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r?\n|$)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) throw new UsageError(`the table: a quote is missing near byte ${at}`);
    const [, value = "", end] = found;
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    if (end === "") break;
  }
  return rows;
}

const textOf = (path: string): string => orOneLine(path, "read", () => readFileSync(path, "utf8"));

function pemOf(paths: readonly string[]): string[] {
  return paths.map((path) => {
    const pem = textOf(path);
    if (!pem.includes("-----BEGIN CERTIFICATE-----")) {
      throw new UsageError(`${path}: holds no certificate in PEM`);
    }
    return pem;
  });
}

/** What is wrong with a device's settings, as one line with the place ahead of it. */
export function orMistake<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const isExpected =
      error instanceof PageError || error instanceof ConfigError || error instanceof RangeError;
    if (isExpected) throw new UsageError(`${place}: ${error.message}`);
    if (error instanceof SyntaxError) throw new UsageError(`${place}: is not JSON`);
    throw error;
  }
}

/** Writes a page for each line; none is written where one is wrong. */
function writeTable(path: string, config: string, out: string, page: (text: string) => Buffer) {
  const [names = [], ...rows] = cellsOf(textOf(path));
  const file = names.indexOf("file");
  if (file < 0) throw new UsageError(`${path}: the first line lacks the column file`);
  const seen = new Set<string>();
  const pages = rows.map((row, at) => {
    const place = `${path}, line ${at + 2}`;
    if (row.length !== names.length) {
      throw new UsageError(`${place}: has ${row.length} cells, the first line has ${names.length}`);
    }
    const name = row[file]!;
    if (!/^[\w.-]+$/.test(name) || name.startsWith(".") || seen.has(name)) {
      throw new UsageError(
        `${place}: the file's name is taken, or has other than letters, digits, - _ .`,
      );
    }
    seen.add(name);
    return orMistake(place, () => {
      const own = JSON.parse(config) as Record<string, unknown>;
      names.forEach((member, cell) => {
        if (cell !== file && row[cell] !== "") put(own, member, row[cell]!);
      });
      return [name, page(JSON.stringify(own))] as const;
    });
  });
  makeFolder(out);
  for (const [name, bytes] of pages) replaceFile(join(out, name), bytes);
  return `${out}: ${pages.length} pages, each read back`;
}

/**
 * Writes the page of a device, or with a table one for each of its lines.
 * @param config the text of device.json, with all addresses in it
 * @param authorities files of certificates in PEM
 * @param csv the table, or undefined for one device
 * @param out the file, or with a table the folder
 * @returns the line for people
 * @throws UsageError with one line
 */
export function writePages(
  place: string,
  config: string,
  authorities: readonly string[],
  csv: string | undefined,
  out: string,
): string {
  const settings = { authorities: pemOf(authorities) };
  const page = (text: string): Buffer => makePage(text, settings);
  if (csv !== undefined) return writeTable(csv, config, out, page);
  const bytes = orMistake(place, () => page(config));
  makeFolder(dirname(out));
  replaceFile(out, bytes);
  return `${out}: ${bytes.length} bytes, read back`;
}
