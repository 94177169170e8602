// Reads the owner of each property of a device, which is a file of the core, from the sources.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Property {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

export interface Part {
  readonly name: string;
  readonly file: string;
  readonly meaning: string;
  readonly properties: readonly Property[];
}

const core = fileURLToPath(new URL("../../core/", import.meta.url));

export const sources: ReadonlyMap<string, string> = new Map(
  readdirSync(core, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file, readFileSync(join(core, file), "utf8")]),
);

const textOf = (comment: string): string =>
  comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, "")
    .replace(/\s*\n\s*\* ?/g, " ")
    .trim();

function partOf(name: string): Part {
  const declared = new RegExp(
    `(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)\\nexport interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`,
  );
  const found = [...sources].filter(([, text]) => declared.test(text));
  const [file, text] = found[0]!;
  const [, comment, body] = declared.exec(text)!;
  const members = body!.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\n\s*(\w+): ([^;]+);/g);
  const properties = [...members].map(([, output, property, type]) => ({
    name: property!,
    type: type!,
    meaning: textOf(output!),
  }));
  return { name, file: file!, meaning: textOf(comment!), properties };
}

export function parts(): Part[] {
  const whole = /^export type Device = ([^;]*);/m.exec(sources.get("device/memory.ts")!)![1]!;
  const names = [...whole.matchAll(/\w+/g)].map(([name]) => name);
  return names.filter((name) => name !== "Readonly" && name !== "Read").map(partOf);
}
