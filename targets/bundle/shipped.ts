// The files of a build in dist/: the code as a script that defines a global, as CommonJS and as an ES module, each with
// its types, and the source map of the script.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Property } from "../../core/device/property.ts";
import { bundleCore } from "./bundled-core.ts";
import {
  deviceProperties,
  entryOf,
  exportsOf,
  functionsOf,
  nameOf,
  type Variant,
  variants,
} from "./surface.ts";

/** Returns the files to write by name. The script comes first. */
export async function shippedFiles(variant: Variant): Promise<Record<string, string>> {
  const name = nameOf(variant);
  const { code, map } = await bundleCore(variant);
  const types = declarations(variant);
  const names = exportsOf(variant);
  const named = names.map((item) => `${item} = picogrant.${item}`).join(",\n  ");
  return {
    [`${name}.js`]: code,
    [`${name}.js.map`]: map,
    [`${name}.cjs`]: `${code}module.exports = picogrant;\n`,
    [`${name}.mjs`]: `${code}export var ${named};\nexport default picogrant;\n`,
    [`${name}.d.ts`]: types.script,
    [`${name}.d.cts`]: types.module,
    [`${name}.d.mts`]: `${types.module}\n${defaultType(names)}`,
  };
}

/** The type of the object with all exports. Firmware can delete its `create` after it has created the devices. */
function defaultType(names: readonly string[]): string {
  const members = names.map((name) => `  ${name}: typeof ${name};\n`).join("");
  return `declare const picogrant: {\n${members}};\nexport default picogrant;\n`;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The types of a build, for both module systems. */
interface Declarations {
  /** `picogrant.d.ts`: the script's global. */
  readonly script: string;
  /** The types for CommonJS and ES modules, which export each function. */
  readonly module: string;
}

/** Joins the declarations of a build's functions, and of the other exports of its entry file in core/. */
function declarations(variant: Variant): Declarations {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-types-"));
  try {
    const tsc = join(root, "node_modules/@typescript/native/bin/tsc");
    const flags = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
    execFileSync(tsc, ["-p", join(root, "core"), ...flags, "--outDir", folder]);
    const entry = entryOf(variant).replace(".ts", ".d.ts");
    const others = variants.map((other) => entryOf(other).replace(".ts", ".d.ts"));
    const text = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".d.ts") && (file === entry || !others.includes(file)))
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("\n");
    const module = select(text, namesOf(folder, entry), variant);
    const inner = module.replaceAll("export declare ", "export ").replace(/^(?=.)/gm, "  ");
    return {
      script: `${header}declare namespace picogrant {\n${inner}\n}\n`,
      module: `${header}${module}\n`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const header = "// picogrant: types of the bundle. Made by the build.\n\n";

/** The names that an entry file re-exports, including those of another entry file that it re-exports as a whole. */
function namesOf(folder: string, entry: string): string[] {
  const text = readFileSync(join(folder, entry), "utf8");
  const below = [...text.matchAll(/^export \* from "\.\/(\w+)\.ts"/gm)].map(([, name]) => name!);
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list]) => list!);
  const names = lists.flatMap((list) => list.split(","));
  return [
    ...below.flatMap((name) => namesOf(folder, `${name}.d.ts`)),
    ...names.map((name) => name.replace("type ", "").trim()).filter((name) => name !== ""),
  ];
}

/** Selects the declarations of the bundle's exports, with their comments. Enums become const enums, because the bundle
 * contains only their numbers. */
function select(text: string, names: readonly string[], variant: Variant): string {
  const required = [
    ...functionsOf(variant).map((name) => ({ name, kind: "function" })),
    { name: "release", kind: "var" },
    ...names.map((name) => ({ name, kind: "interface" })),
    ...names.map((name) => ({ name, kind: "enum" })),
  ];
  return required
    .map(({ name, kind }) =>
      name === "Device" && kind === "interface"
        ? deviceDeclaration(text)
        : declarationOf(text, name, kind),
    )
    .map((found) => (/ const enum Property /.test(found) ? withPlaces(found) : found))
    .filter((found) => found !== "")
    .join("\n\n");
}

/** The type of the device as one interface, with only the properties that a host may read, named by their index. */
function deviceDeclaration(text: string): string {
  const whole = /^export type Device = ([^;]*);/m.exec(text);
  if (!whole) throw new Error("the build should find the parts of the device");
  const parts = [...whole[1]!.matchAll(/\w+/g)].map(([name]) =>
    declarationOf(text, name, "interface"),
  );
  const members = parts.flatMap(
    (part) => part.match(/^ {4}(?:\/\*\*[\s\S]*?\*\/\s+)?\w+: [^;]+;\n/gm) ?? [],
  );
  const nameOf = (member: string): string => /(\w+): [^:]+;\n$/.exec(member)?.[1] ?? "";
  const shown = Object.entries(Property).map(([constant, name]) => {
    const member = members.find((one) => nameOf(one) === name);
    if (!member) throw new Error(`the build should find the device's ${name}`);
    return member
      .replace(/\w+(: [^:]+;\n)$/, `readonly [Property.${constant}]$1`)
      .replace(": Integers;", ": readonly number[];");
  });
  const comment = commentBefore(text, whole.index);
  return `${comment}export interface Device {\n${shown.join("")}}`;
}

/** The enum Property, with each property's index in the device array instead of its name. */
function withPlaces(declaration: string): string {
  return declaration.replace(
    /= "(\w+)"/g,
    (_all, name: string) => `= ${deviceProperties.indexOf(name)}`,
  );
}

function declarationOf(text: string, name: string, kind: string): string {
  const word = kind === "interface" ? "export interface" : `export declare ${kind}`;
  const end = kind === "function" || kind === "var" ? ";" : "\n}";
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
