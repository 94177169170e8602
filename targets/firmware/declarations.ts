// Makes the one .d.ts of the bundle out of the declarations of the core's files.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { propertiesOf, type Variant } from "./bundle.ts";
import { completeFunctions, grantFunctions } from "./surface.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Types that a host names. */
const types = ["Bytes", "Config", "Device"];
/** Constants; the bundle holds their numbers only, so they are const enums here. */
const enums = [
  "Authorization",
  "ClientAuthentication",
  "Command",
  "ConfigMember",
  "Endpoint",
  "ErrorCode",
  "ErrorKind",
  "CallState",
  "Event",
  "Field",
  "OfferError",
  "Region",
  "State",
];

/** The text of `picogrant.d.ts` for a build. */
export function declarations(variant: Variant): string {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-types-"));
  try {
    const tsc = join(root, "node_modules/.bin/tsc");
    const flags = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
    execFileSync(tsc, ["-p", join(root, "core"), ...flags, "--outDir", folder]);
    const other = variant === "complete" ? "index.d.ts" : "complete.d.ts";
    const text = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".d.ts") && file !== other)
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("\n");
    return `${header}${select(text, variant)}\nexport as namespace picogrant;\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const header = "// picogrant: types of the bundle. Made by the build.\n\n";

/** The declarations of what the bundle offers, each with its comment. */
function select(text: string, variant: Variant): string {
  const functions: string[] = [
    ...grantFunctions,
    ...(variant === "complete" ? completeFunctions : []),
  ];
  const wanted = [
    ...functions.map((name) => ({ name, kind: "function" })),
    ...types.map((name) => ({ name, kind: "interface" })),
    ...enums.map((name) => ({ name, kind: "enum" })),
  ];
  return wanted
    .map(({ name, kind }) => declarationOf(text, name, kind))
    .map((found) => withoutPrivate(found, variant))
    .filter((found) => found !== "")
    .join("\n\n");
}

/** Of the device, only what keeps its name; of a comment over several properties, all of it. */
function withoutPrivate(declaration: string, variant: Variant): string {
  if (!/^export interface Device /m.test(declaration)) return declaration;
  const kept = new Set(propertiesOf(variant, "one"));
  const members = declaration.match(/^ {4}(?:\/\*\*[\s\S]*?\*\/\s+)?\w+: [^;]+;\n/gm) ?? [];
  const start = declaration.indexOf("{\n") + 2;
  const shown = members.filter((member) => kept.has(/(\w+): [^:]+;\n$/.exec(member)?.[1] ?? ""));
  return `${declaration.slice(0, start)}${shown.join("")}}`;
}

function declarationOf(text: string, name: string, kind: string): string {
  const word = kind === "interface" ? "export interface" : `export declare ${kind}`;
  const end = kind === "function" ? ";" : "\n}";
  const at = text.search(new RegExp(`^${word} ${name}\\b`, "m"));
  if (at < 0) return "";
  const body = text.slice(at, text.indexOf(end, at) + end.length);
  return commentBefore(text, at) + body.replace("export declare enum", "export declare const enum");
}

function commentBefore(text: string, at: number): string {
  const before = text.slice(0, at);
  if (!before.endsWith("*/\n")) return "";
  return before.slice(before.lastIndexOf("/**"));
}
