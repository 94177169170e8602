// The programs on the pages that are published with the package: each block compiles as it stands, with the packages as
// npm would install them.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const project = inject("project");

const PAGES = ["picogrant/README.md", "picogrant/docs/node.md", "picogrant-tools/README.md"];

it.each(PAGES)("%s: every program in it compiles", (page) => {
  const text = readFileSync(path.join(project, "node_modules", page), "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block!);
  expect(blocks.length).toBeGreaterThan(0);
  const folder = path.join(project, page.replaceAll(/[/.]/g, "-"));
  mkdirSync(folder);
  const files = blocks.map((block, i) => {
    const file = path.join(folder, `block-${i}.mts`);
    writeFileSync(file, block);
    return file;
  });
  const how = ["--strict", "--noEmit", "--target", "es2023", "--lib", "es2023,dom"];
  const args = [...how, "--module", "nodenext", "--types", "node", ...files];
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  expect(execFileSync(tsc, args, { cwd: project, encoding: "utf8" })).toBe("");
});
