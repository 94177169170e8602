// `picogrant configure --page`: writes a settings page for one device, or for each device of a table.

import { createPrivateKey, type JsonWebKey } from "node:crypto";
import { dirname, join } from "node:path";
import { ConfigError } from "../../platform/configuration/device-config.ts";
import { makeDirectory, reasonOf, writeOwn } from "../../platform/node/files.ts";
import { readCertificates, readText, UsageError } from "../desktop/command-line.ts";
import { makePage, PageError } from "./page-format.ts";

/** Writes a file, and creates missing folders. @throws UsageError */
export function replaceFile(path: string, content: Uint8Array | string): void {
  try {
    makeDirectory(dirname(path), 0o777);
    writeOwn(path, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new UsageError(`${path}: cannot be written (${reasonOf(error)})`);
  }
}

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

/** The cells of a CSV text (RFC 4180). */
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

/** The 32 bytes of a private key on P-256, which the file has in PEM or as a JWK. */
function privateKeyIn(path: string): Buffer {
  const text = readText(path, "key");
  try {
    const key = text.startsWith("{")
      ? createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: "jwk" })
      : createPrivateKey(text);
    const { crv, d } = key.export({ format: "jwk" });
    if (crv === "P-256" && d !== undefined) return Buffer.from(d, "base64url");
  } catch {
    // Node's message does not name the file. The error below does.
  }
  throw new UsageError(`${path}: holds no private key on the curve P-256, in PEM or as a JWK`);
}

/** Converts an expected error to one line that starts with the place. */
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

function writeTable(path: string, config: string, out: string, page: (text: string) => Buffer) {
  const [names = [], ...rows] = cellsOf(readText(path, "table"));
  const file = names.indexOf("file");
  if (file < 0) throw new UsageError(`${path}: the first line lacks the column file`);
  const server = names.find((name) => /^(?:server|serverParameters|issuer)\b/.test(name));
  if (server !== undefined)
    throw new UsageError(`${path}: all pages have one server; remove the column ${server}`);
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
  for (const [name, bytes] of pages) replaceFile(join(out, name), bytes);
  return `${out}: ${pages.length} pages, each read back`;
}

export interface KeyFlags {
  privateKeyJwt?: "issuer" | "token_endpoint";
  key?: string;
}

/** Writes a settings page to `out`, or one for each device of a table to the folder `out`. Returns a line for the user. */
export function writePages(
  place: string,
  config: string,
  authorities: readonly string[],
  csv: string | undefined,
  out: string,
  { key, ...uses }: KeyFlags,
): string {
  const keys = { ...uses, ...(key !== undefined && { signingKey: privateKeyIn(key) }) };
  const settings = { authorities: authorities.map(readCertificates), keys };
  const page = (text: string): Buffer => makePage(text, settings);
  if (csv !== undefined) return writeTable(csv, config, out, page);
  const bytes = orMistake(place, () => page(config));
  replaceFile(out, bytes);
  return `${out}: ${bytes.length} bytes, read back`;
}
