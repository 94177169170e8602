// The Markdown files name only things that exist: links, paths, commands, and the tests of code blocks and promises.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { FIRMWARE_FILES, LIBRARY_ENTRIES, PAGES } from "../targets/workbench/package-contents.ts";
import { TOOLS } from "../targets/workbench/tool-list.ts";
import { type Block, blocksOf, countBlocks } from "./code-blocks.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["core", "platform", "targets", "test", "scripts"];

function filesBelow(folder: string): string[] {
  const entries = readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

const all = FOLDERS.flatMap(filesBelow);
const top = readdirSync(ROOT).filter((name) => name.endsWith(".md"));
const specification = [...top, ...all.filter((file) => file.endsWith(".md"))];
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** Removes code blocks, because brackets in them are not links. */
const prose = (text: string): string => text.replace(/^```.*?^```/gms, "");

/** The anchors of a document's headings, as the usual viewers make them. */
function anchors(text: string): string[] {
  const headings = [...prose(text).matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function deadLinks(file: string, text: string): string[] {
  const targets = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [place = "", anchor] = target.split("#");
    const found = place === "" ? file : path.join(path.dirname(file), place);
    if (!existsSync(path.join(ROOT, found))) return true;
    return anchor !== undefined && !anchors(place === "" ? text : read(found)).includes(anchor);
  });
}

function deadPaths(text: string): string[] {
  const named = [...text.matchAll(/`((?:core|platform|targets|test|scripts)\/[\w./-]*)`/g)];
  return named.map((match) => match[1]!).filter((name) => !existsSync(path.join(ROOT, name)));
}

function deadScripts(text: string): string[] {
  const tools = [...text.matchAll(/npm run (?:-s )?tool -- ([\w-]*\w)/g)].map((match) => match[1]!);
  const named = [...text.matchAll(/npm run (?:-[\w-]+ )*(\w(?:[\w:-]*\w)?)/g)].map(
    (match) => match[1]!,
  );
  return [
    ...named.filter((name) => !Object.hasOwn(manifest.scripts, name)),
    ...tools.filter((name) => name !== "NAME" && !Object.hasOwn(TOOLS, name)),
  ];
}

/** Whether test/package/pages.spec.ts runs the blocks of this file. */
function isShipped(file: string): boolean {
  const pages = Object.values(PAGES).flatMap((ones) => Object.values(ones));
  return [...pages, ...FIRMWARE_FILES].some((one) => file === one || file.startsWith(`${one}/`));
}

/** Returns what is wrong with a block's mark, or "". A mark names the block's test, or why no test runs the block. */
function markProblem({ language, mark, text }: Block, file: string): string {
  if (mark.startsWith("not: ") || language === "mermaid") return "";
  if (isShipped(file)) return /^(?:ts|sh)$/.test(language) ? "" : `is no program: ${text}`;
  const test = mark.replace(/^by /, "");
  if (mark === test) return `neither run nor marked: ${text}`;
  const isThere = existsSync(path.join(ROOT, test)) && read(test).includes(path.basename(file));
  return isThere ? "" : `${test} does not name ${file}`;
}

describe("documents", () => {
  it.each(specification)("%s: a test runs every code block, or a mark states why not", (file) => {
    const blocks = blocksOf(read(file));
    expect(blocks).toHaveLength(countBlocks(read(file)));
    expect(blocks.map((block) => markProblem(block, file)).filter(Boolean)).toEqual([]);
  });

  it.each(specification)("%s: every link resolves", (file) => {
    expect(deadLinks(file, read(file))).toEqual([]);
  });

  it.each(specification)("%s: every path in it exists", (file) => {
    expect(deadPaths(read(file))).toEqual([]);
  });

  it.each(specification)("%s: every npm script in it exists", (file) => {
    expect(deadScripts(read(file))).toEqual([]);
  });

  it("every npm script that the sources name exists", () => {
    const own = path.relative(ROOT, fileURLToPath(import.meta.url));
    const sources = all.filter((file) => /\.(ts|js|c|h)$/.test(file) && file !== own);
    expect(sources.length).toBeGreaterThan(200);
    const dead = sources.flatMap((file) =>
      deadScripts(read(file)).map((name) => `${file}: ${name}`),
    );
    expect(dead).toEqual([]);
  });

  it("sources also find their files in a folder with a space or an umlaut in its name", () => {
    // The pathname of a URL is percent-encoded. Use fileURLToPath instead.
    const encoded = /import\.meta\.url\)\s*\.pathname/;
    const sources = all.filter((file) => /\.(ts|js)$/.test(file));
    expect(sources.filter((file) => encoded.test(read(file)))).toEqual([]);
    expect(encoded.test(`new URL("x", import.meta.url)${".pathname"}`)).toBe(true);
  });

  it("README.md names every entry of the package", () => {
    const list = /The package has further entries:.*?\n\n/s.exec(read("README.md"))![0];
    const named = [...list.matchAll(/`(?:picogrant)?(\/[\w/-]+)`/g)].map((match) => `.${match[1]}`);
    const entries = Object.keys(LIBRARY_ENTRIES).filter((entry) => entry !== ".");
    expect(named.sort()).toEqual(entries.sort());
  });
});

/** SECURITY.md: each promise with the file and the title of its test. */
function promises(): [string, string, string][] {
  const text = readFileSync(path.join(ROOT, "SECURITY.md"), "utf8");
  const table = text.split("### Promises, each with its test")[1]!.split("\n## ")[0]!;
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("|--"));
  return rows.slice(1).map((row) => {
    const [, promise = "", test = ""] = row.split("|").map((cell) => cell.trim());
    const [, file = "", title = ""] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
    return [promise, file, title];
  });
}

/** Whether the file exists and contains the title. */
function hasTest(file: string, title: string): boolean {
  const at = path.join(ROOT, file);
  if (title === "" || !existsSync(at)) return false;
  return readFileSync(at, "utf8").includes(title);
}

it("SECURITY.md has promises", () => {
  expect(promises().length).toBeGreaterThan(10);
});

it.each(promises())("%s: %s has the test", (_, file, title) => {
  expect([file, title, hasTest(file, title)]).toEqual([file, title, true]);
});

it("README's first commands set everything up and run the main job, and the tests", () => {
  const blocks = blocksOf(readFileSync(new URL("../README.md", import.meta.url), "utf8"));
  const first = blocks.find(({ text }) => text.startsWith("npm ci"));
  expect(first?.text).toBe("npm ci && npm start\nnpm ci && npm test\n");
  // .ci/run finds the two commands with this pattern.
  const gate = readFileSync(new URL("../.ci/run", import.meta.url), "utf8");
  expect(gate).toContain("grep '^npm ci && ' README.md");
  expect(manifest.scripts).toMatchObject({
    start: expect.any(String),
    test: expect.any(String),
  });
});
