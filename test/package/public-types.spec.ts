// Every type that a program can see, held against a kept report: whoever changes the package's surface sees it, and so
// does whoever reads the change. `npm run generate` renews the report.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";

const REPORT = fileURLToPath(new URL("public-types.txt", import.meta.url));
const installed = path.join(inject("project"), "node_modules/picogrant");

type Target = string | { import?: { types?: string } };

/** Declarations by entry, and all that those import, each once. */
function declarations(): Map<string, string> {
  const { exports: entries } = JSON.parse(
    readFileSync(path.join(installed, "package.json"), "utf8"),
  ) as { exports: Record<string, Target> };
  const found = new Map<string, string>();
  const visit = (file: string): void => {
    const name = path.relative(installed, file);
    if (found.has(name)) return;
    const text = readFileSync(file, "utf8");
    found.set(name, withoutComments(text));
    for (const [, other] of text.matchAll(/(?:from|import\() ?["'](\.[^"']+)["']/g)) {
      visit(path.join(path.dirname(file), other!.replace(/\.js$/, ".d.ts")));
    }
  };
  for (const entry of Object.values(entries)) {
    const types = typeof entry === "string" ? undefined : entry.import?.types;
    if (types !== undefined) visit(path.join(installed, types));
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{2,}/g, "\n")
    .trim();
}

function report(): string {
  const { exports: entries } = JSON.parse(
    readFileSync(path.join(installed, "package.json"), "utf8"),
  ) as { exports: Record<string, Target> };
  const list = Object.keys(entries).map((name) => `picogrant${name.slice(1)}`);
  const parts = [...declarations()].map(([name, text]) => `=== ${name}\n${text}\n`);
  return `${list.join("\n")}\n\n${parts.join("\n")}`;
}

it("the public types are those of the report (npm run generate renews it)", () => {
  if (process.env.PICOGRANT_GENERATE) writeFileSync(REPORT, report());
  expect(report()).toBe(readFileSync(REPORT, "utf8"));
});
