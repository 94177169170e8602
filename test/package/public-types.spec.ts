// Every type that a program can see, held against a kept report: whoever changes the package's surface sees it, and so
// does whoever reads the change. `npm run generate` renews the report.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";

const REPORT = fileURLToPath(new URL("public-types.txt", import.meta.url));
const installed = path.join(inject("project"), "node_modules");

/** The types of each entry, and what they share with others, each once. */
function declarations(): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of ["picogrant", "picogrant-tools"]) {
    for (const file of readdirSync(path.join(installed, name, "dist"))) {
      if (!file.endsWith(".d.ts")) continue;
      const text = readFileSync(path.join(installed, name, "dist", file), "utf8");
      found.set(`${name}/dist/${file}`, withoutComments(text));
    }
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
  const parts = [...declarations()].map(([name, text]) => `=== ${name}\n${text}\n`);
  return parts.join("\n");
}

it("the public types are those of the report (npm run generate renews it)", () => {
  if (process.env.PICOGRANT_GENERATE) writeFileSync(REPORT, report());
  expect(report()).toBe(readFileSync(REPORT, "utf8"));
});
