// Generates files for the C host: the core as C, or its bundle for an engine, and the core's numbers as C constants.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { CallState } from "../../../core/complete.ts";
import { Limit } from "../../../core/device/limits.ts";
import {
  Authorization,
  ClientAuthentication,
  Command,
  Endpoint,
  ErrorCode,
  Event,
  Field,
  MESSAGES,
  Pkce,
  Property,
  Region,
  release,
  State,
} from "../../../core/index.ts";
import { type Reason, reasons } from "../../../platform/display/reasons.ts";
import { RECORD } from "../../../platform/driver/device.ts";
import { ERRORS } from "../../../platform/node/files.ts";
import { keyOf, stored } from "../../bundle/build-cache.ts";
import { bundleCore, type Variant } from "../../bundle/bundled-core.ts";
import { functionNumbers } from "../../bundle/surface.ts";
import type { CFile } from "../../c-file/emit-c.ts";
import { version } from "../../desktop/command-line.ts";

const api = "../../host/portable/picogrant.h";

type Enum = Record<string, string | number>;

export const enums: Readonly<Record<string, Enum>> = {
  AUTHORIZATION: Authorization,
  CLIENT_AUTHENTICATION: ClientAuthentication,
  COMMAND: Command,
  ENDPOINT: Endpoint,
  FIELD: Field,
  REGION: Region,
  STATE: State,
  EVENT: Event,
  ERROR_CODE: ErrorCode,
  CALL_STATE: CallState,
  PKCE: Pkce,
};

export function membersOf(numbers: Enum): [string, number][] {
  return Object.entries(numbers).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
}

/** The elements of the array `picogrant`, through which a C host uses the core in an engine. */
const PARTS = ["RELEASE", "DEVICE", "START", "LENGTH", "CAPACITY", "TRANSFER", "CALL"] as const;

function partLines(): string {
  const parts = PARTS.map((name, at) => `  PG_PART_${name} = ${at},`);
  const functions = functionNumbers.map(
    (name, number) => `  PG_FUNCTION_${constantOf(name)} = ${number},`,
  );
  return `enum pg_part {\n${parts.join("\n")}\n};\nenum pg_function {\n${functions.join("\n")}\n};\n`;
}

/** The release number is first in every version, so that a host can refuse other releases. The second element is
 * `create`, which the host calls and then replaces by the device. */
const partsScript = "picogrant=[[picogrant[3]],picogrant[1],0,0,0,0,picogrant[0]];";

function versionLines(): string {
  return `#define PICOGRANT_VERSION "${version()}"\n#define PICOGRANT_VERSION_NUMBER ${release}\n\n`;
}

const constantOf = (name: string): string => name.replace(/[A-Z]/g, "_$&").toUpperCase();

function reasonTables(all: readonly Reason[]): string {
  return (
    `enum { PG_REASON_COUNT = ${all.length + 1} };\n` +
    `#define PG_REASON_NAMES {"", ${quoted(all.map(({ name }) => name))}}\n` +
    `#define PG_REASON_TEXTS {"", ${quoted(all.map(({ text }) => text))}}\n` +
    `#define PG_REASON_SENTENCES {"", ${quoted(all.map(({ sentence }) => sentence))}}\n`
  );
}

/** The tables of hosts without keys do not contain the last reason, `keyChanged`. */
function reasonLines(): string {
  const members = reasons.map(({ name }, at) => `  PG_REASON_${constantOf(name)} = ${at + 1},`);
  const last = reasons.findLastIndex(({ name }) => name !== "keyChanged");
  return (
    `enum pg_reason {\n  PG_REASON_NONE = 0,\n${members.join("\n")}\n};\n` +
    `#ifdef PG_KEYS\n${reasonTables(reasons)}#else\n${reasonTables(reasons.slice(0, last + 1))}#endif\n`
  );
}

function errorsOf(kind: "passing" | "medium"): string {
  const all = Object.entries(ERRORS).filter(([, [, one]]) => one === kind);
  return all.map(([name]) => name).join(", ");
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

export function numbersHeader(): string {
  const blocks = Object.entries(enums).map(([name, numbers]) => {
    const lines = membersOf(numbers).map(([member, value]) => `  PG_${name}_${member} = ${value},`);
    return `enum pg_${name.toLowerCase()} {\n${lines.join("\n")}\n};`;
  });
  const places = Object.keys(Property).map((name, place) => `  PG_${name} = ${place},`);
  blocks.push(`enum pg_property {\n${places.join("\n")}\n};`);
  const namesOf = (numbers: Enum): string => {
    const names: string[] = [];
    for (const [member, value] of membersOf(numbers)) names[value] = `"${member}"`;
    return Array.from(names, (name) => name ?? `""`).join(", ");
  };
  return (
    "/* Generated from the core's enums: do not edit. */\n" +
    "#ifndef PICOGRANT_NUMBERS_H\n#define PICOGRANT_NUMBERS_H\n\n" +
    versionLines() +
    `${blocks.join("\n\n")}\n\n#define PG_STATE_NAMES {${namesOf(State)}}\n` +
    `#define PG_ENDPOINT_NAMES {${namesOf(enums.ENDPOINT)}}\n` +
    `#define PG_ERROR_CODE_NAMES {${namesOf(ErrorCode)}}\n` +
    `#define PG_PASSING_ERRORS {${errorsOf("passing")}}\n#define PG_MEDIUM_ERRORS {${errorsOf("medium")}}\n` +
    `enum { PG_MESSAGE_COUNT = ${MESSAGES.split("\n").length} };\n` +
    `enum { PG_START_SPREAD_MS = ${Limit.BOOT_SPREAD_MS}, PG_START_AT_ONCE = -1 };\n` +
    `enum { PG_RECORD_FRAME = ${RECORD.FRAME}, PG_RECORD_LENGTH = ${RECORD.LENGTH} };\n` +
    `#define PG_RECORD_OF_CODE {${RECORD.CODE.join(", ")}}\n` +
    `#define PG_FIELD_NAMES {${namesOf(Field).toLowerCase().replace("received_", "")}}\n` +
    `${reasonLines()}${partLines()}\n#endif\n`
  );
}

const CODE_HEADER =
  "/* Generated: the core's code. */\n#ifndef PICOGRANT_CORE_CODE_H\n" +
  "#define PICOGRANT_CORE_CODE_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n" +
  "extern const uint8_t *const pg_core_code;\nextern const size_t pg_core_code_size;\n\n#endif\n";

/** QuickJS can use bytecode in flash only if the names in the program have the same numbers as at compile time. In a
 * new context, `AggregateError` already has the first number. So the program mentions this name first. */
const romPrefix = "var AggregateError;";

/** Leaves an unchanged file alone, because make compares times. */
export function writeIfChanged(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  writeFileSync(file, text);
}

/** The names of the core API's enums in the sources. */
export const sourcesOfNumbers: readonly string[] = Object.keys(enums).map((name) =>
  name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
);

function coreAsC(): Promise<CFile> {
  const byHand = ["../../c-file/api.c", "../../c-file/api.h", api].map((name) =>
    readFileSync(new URL(name, import.meta.url), "utf8"),
  );
  const key = keyOf(["c-file", ...sourcesOfNumbers, ...byHand].join("\0"), [
    "core",
    "targets/c-file",
    "targets/bundle",
  ]);
  return stored(key, async () =>
    new (await import("../../c-file/emit-c.ts")).Printer(sourcesOfNumbers).files(),
  );
}

/** The two files for firmware without an engine. picogrant.h contains the text of two generated headers. */
export async function standaloneFiles(): Promise<Record<"picogrant.c" | "picogrant.h", string>> {
  const { source, header } = await coreAsC();
  const whole = readFileSync(new URL(api, import.meta.url), "utf8")
    .replace("MIT */\n", `MIT */\n/* picogrant ${version()} */\n`)
    .replace('#include "picogrant-numbers.h"\n', numbersHeader)
    .replace('#include "picogrant-core.h"\n', () =>
      header.replace('#include "picogrant-numbers.h"\n', ""),
    );
  return { "picogrant.c": source, "picogrant.h": whole };
}

export async function generateC(folder: string): Promise<void> {
  const { source, header } = await coreAsC();
  mkdirSync(folder, { recursive: true });
  writeIfChanged(`${folder}/picogrant.c`, source);
  writeIfChanged(`${folder}/picogrant-core.h`, header);
  writeIfChanged(`${folder}/picogrant-numbers.h`, numbersHeader());
}

/** Writes the files for a host on QuickJS. @param code replaces the bundle of `variant` */
export async function generate(folder: string, variant: Variant, code?: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  code = (code ?? (await bundleCore(variant)).flashed) + partsScript;
  writeIfChanged(`${folder}/core.js`, romPrefix + code);
  writeIfChanged(`${folder}/picogrant-numbers.h`, numbersHeader());
  writeIfChanged(`${folder}/core-code.h`, CODE_HEADER);
}
