// Whoever reads a page in a package has the package alone: where the page names a command or a file of the repository, it
// says that a clone of it is meant.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";
import { MANIFESTS } from "../../targets/workbench/package-contents.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const modules = path.join(inject("project"), "node_modules");

const pages = Object.keys(MANIFESTS).flatMap((name) =>
  readdirSync(path.join(modules, name), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({ name, file })),
);

const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");

/** Every file and folder of the repository, by its path there. */
const known = new Set(files.flatMap((file) => above(file)));

/** The names of the repository's sources, without their folders. */
const sources = new Set(
  files.filter((file) => file.endsWith(".ts")).map((file) => path.basename(file)),
);

function above(file: string): string[] {
  return file === "." ? [] : [file, ...above(path.dirname(file))];
}

const COMMAND = /\bnpm (?:run [\w:]+|start|test|ci)\b/g;
const FILE = /(?<![\w/:@.-])(?:\.{1,2}\/)*[\w-]+(?:[/.][\w-]+)+/g;
const FOR_ALL_OF_IT = /\b(?:are those of|is built in) a\s+clone\b/;
const SAYS_SO = /\bclone\b|\b(?:in|of) the\s+repository\b/;

/** What a page's text names of the repository that the package does not have. */
function mentions(text: string, isThere: (file: string) => boolean): string[] {
  const commands = [...text.matchAll(COMMAND)].map(([command]) => command);
  const named = [...text.matchAll(FILE)].map(([word]) => word.replace(/^\.\//, ""));
  const foreign = named.filter((word) => {
    if (isThere(word)) return false;
    return (known.has(word) && word.includes("/")) || sources.has(path.basename(word));
  });
  return [...commands, ...foreign];
}

/** Those in parts of a page that do not say where they are to be had: in their own words, or at the page's beginning. */
function unexplained(page: string, isThere: (file: string) => boolean): string[] {
  // A heading within a block of code is a comment of the shell; a comment of the page is read by nobody.
  const parts = page
    .replace(/<!--.*?-->/g, "")
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/^#/gm, "  #"))
    .split(/^(?=#{1,4} )/m);
  if (FOR_ALL_OF_IT.test(parts.slice(0, 2).join(""))) return [];
  return parts.filter((part) => !SAYS_SO.test(part)).flatMap((part) => mentions(part, isThere));
}

it.each(pages)(
  "$name/$file names nothing of the repository without saying so",
  ({ name, file }) => {
    const folder = path.join(modules, name);
    const isThere = (word: string): boolean =>
      [folder, path.dirname(path.join(folder, file))].some((at) => existsSync(path.join(at, word)));
    expect(unexplained(readFileSync(path.join(folder, file), "utf8"), isThere)).toEqual([]);
  },
);

it("commands and files of the repository are found, in text and in blocks", () => {
  const isThere = (word: string): boolean => word === "core/SPEC.md";
  const page = `# Page\n\nThe core/SPEC.md.\n\n## One\n\nRun \`npm run build\`: a test (test/core) does.
\n\`\`\`sh\n# x\nnpm start\n\`\`\`\n\n## Two\n\nIn a clone \`npm run host\`.\n\n## Three\n\n\`./index.ts\`\n`;
  expect(unexplained(page, isThere)).toEqual([
    "npm run build",
    "npm start",
    "test/core",
    "index.ts",
  ]);
  expect(
    unexplained(`# Page\n\nTests are those of a clone.\n\n## One\n\nnpm test`, isThere),
  ).toEqual([]);
});
