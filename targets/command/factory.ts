// `picogrant factory`: the page of a board's flash that says what the device is to know, for one device or for each line
// of a table. What is written is read back and compared before a file is there.

import { dirname, join } from "node:path";
import { ConfigError } from "../../platform/configuration/device-config.ts";
import { UsageError } from "../desktop/usage-error.ts";
import {
  FactoryPageError,
  makeFactoryPage,
  makeLaterPage,
  makeSettingsImage,
} from "../image/factory-page.ts";
import { makeFolder, readInput, replaceFile } from "./image/files.ts";
import { readSecretKey } from "./image/keys.ts";
import { commandLine } from "./option-parser.ts";

interface Flags {
  authorities?: string[];
  updates?: string;
  csv?: string;
  out: string;
  later?: string;
  key?: string;
  product?: string;
  counter?: string;
}

const HELP = `
The table's first line names members of device.json (clientId, deviceParameters.serial, limits.renewals); each
further line is a device, and its column \`file\` names what is written for it below --out. A cell that is empty
leaves the member as --config has it.

  picogrant factory --config device.json --authorities ca.pem --updates https://updates.example/tv --out page.bin
  picogrant factory --config device.json --authorities ca.pem --csv devices.csv --out pages
  picogrant factory --config device.json --later change.json --key maker.key --product tv --counter 3 --out settings.img

--later makes what changes devices in the field: of device.json only what is to be another, signed, with a counter
above that of the settings before; --authorities replaces the whole list. Publish it as settings.img.`;

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

const textOf = (path: string): string => Buffer.from(readInput(path)).toString("utf8");

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
function orOneLine<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const isExpected =
      error instanceof FactoryPageError ||
      error instanceof ConfigError ||
      error instanceof RangeError;
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
    return orOneLine(place, () => {
      const own = JSON.parse(config) as Record<string, unknown>;
      names.forEach((member, cell) => {
        if (cell !== file && row[cell] !== "") put(own, member, row[cell]!);
      });
      return [name, page(JSON.stringify(own))] as const;
    });
  });
  makeFolder(out);
  for (const [name, bytes] of pages) replaceFile(join(out, name), bytes, 0o600);
  return `${out}: ${pages.length} pages, each read back`;
}

function writeLater(config: string, flags: Flags): string {
  const { later = "", key, product, counter, authorities, updates, out } = flags;
  if (key === undefined || product === undefined || !/^[1-9]\d{0,8}$/.test(counter ?? "")) {
    throw new UsageError(
      "--later needs --key FILE, --product NAME and --counter NUMBER, from 1 on",
    );
  }
  const secretKey = readSecretKey(key);
  try {
    const page = orOneLine(later, () =>
      makeLaterPage(textOf(later), config, {
        ...(authorities && { authorities: pemOf(authorities) }),
        ...(updates !== undefined && { updates }),
      }),
    );
    const image = orOneLine(out, () =>
      makeSettingsImage(page, { product, counter: Number(counter) }, secretKey),
    );
    makeFolder(dirname(out));
    replaceFile(out, image, 0o600);
    return `${out}: ${image.length} bytes of settings for ${product}, number ${counter}`;
  } finally {
    secretKey.fill(0);
  }
}

export async function factory(argv: readonly string[]): Promise<number> {
  const flags = commandLine(
    "factory",
    "Makes what the factory programs into a board beside its program.",
  )
    .requiredOption("--config <file>", "device.json, as picogrant configure completes it")
    .option("--authorities <file...>", "certificate authorities that the device trusts, in PEM")
    .option("--updates <address>", "where updates are")
    .option("--csv <file>", "a table of devices: a page for each line, in the folder --out")
    .option("--later <file>", "what is to change in the field, signed")
    .option("--key <file>", "with --later: the maker's secret key")
    .option("--product <name>", "with --later: the product that it is for")
    .option("--counter <number>", "with --later: above that of the settings before")
    .requiredOption("--out <file>", "where it is written, readable by you alone")
    .addHelpText("after", HELP)
    .parse(argv, { from: "user" })
    .opts<Flags & { config: string }>();
  const config = textOf(flags.config);
  process.stdout.write(`${make(config, flags)}\n`);
  return 0;
}

function make(config: string, flags: Flags & { config: string }): string {
  if (flags.later !== undefined) return writeLater(config, flags);
  const { updates = "", out } = flags;
  if (updates !== "" && !updates.startsWith("https://")) {
    throw new UsageError("--updates: is no https address");
  }
  if (flags.authorities === undefined) {
    throw new UsageError("--authorities is missing: without one the device trusts no server");
  }
  const authorities = pemOf(flags.authorities);
  const page = (text: string): Buffer => makeFactoryPage(text, { authorities, updates });
  if (flags.csv !== undefined) return writeTable(flags.csv, config, out, page);
  const bytes = orOneLine(flags.config, () => page(config));
  makeFolder(dirname(out));
  replaceFile(out, bytes, 0o600);
  return `${out}: ${bytes.length} bytes, read back`;
}
