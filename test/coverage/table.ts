// The table of the documents' rows and the tests that prove them, made from the tests' names.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { documentRows, documents, type Row } from "./rows.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface NamedTest {
  /** Names of the groups and of the test, outermost first, joined by ` > `. */
  readonly name: string;
  /** Path from the project's folder. */
  readonly file: string;
}

/** A row with the tests of each side. */
export interface Covered {
  readonly row: Row;
  readonly service: readonly NamedTest[];
  readonly device: readonly NamedTest[];
}

/** The names of all tests of service and device; the tests are not run. */
export async function namedTests(): Promise<NamedTest[]> {
  const folder = await mkdtemp(join(tmpdir(), "picogrant-names-"));
  try {
    const file = join(folder, "names.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const options = ["--config", "test/vitest.config.ts", `--json=${file}`];
    await promisify(execFile)(
      process.execPath,
      [vitest, "list", ...options, "test/core", "test/service"],
      { cwd: root },
    );
    const found = JSON.parse(await readFile(file, "utf8")) as NamedTest[];
    // Files are collected in any order; within one, the order is the file's.
    return found
      .map((test) => ({ name: test.name, file: relative(root, test.file) }))
      .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What one part of a test's name cites: `device doc §2.1 row interval: ...`. */
interface Citation {
  readonly document: string;
  readonly section: string;
  /** What follows the section, without `row` and colon. */
  readonly text: string;
}

/** A group's document is its tests' as well: `device doc §7: errors > §7 Poll: 403 slow_down`. */
function citationsOf(name: string): Citation[] {
  const found: Citation[] = [];
  let document = "";
  for (const part of name.split(" > ")) {
    const [, cited, section = "", text = ""] =
      /^(?:(\w+ doc) )?§(\d+(?:\.\d+)?)(?::| row|(?= )) (.*)$/.exec(part) ?? [];
    document = cited ?? document;
    if (section !== "") found.push({ document, section, text });
  }
  return found;
}

/** Whether a test is one of the row's: a part of its name cites the section and goes on with a key of the row. */
export function proves(name: string, { document, section, keys }: Row): boolean {
  return citationsOf(name).some(
    (citation) =>
      citation.document === document &&
      citation.section === section &&
      keys.some((key) => begins(citation.text, key)),
  );
}

/** `expires_in` begins no text about `expires_in_seconds`. */
function begins(text: string, key: string): boolean {
  return text.startsWith(key) && !/^\w/.test(text.slice(key.length));
}

export function cover(tests: readonly NamedTest[]): Covered[] {
  return documentRows.map((row) => {
    const found = tests.filter(({ name }) => name.includes(`§${row.section}`) && proves(name, row));
    const of = (folder: string) => found.filter(({ file }) => file.startsWith(`test/${folder}/`));
    return { row, service: of("service"), device: of("core") };
  });
}

/** One line for each row that has no test on a side that it concerns. */
export function gaps(covered: readonly Covered[]): string[] {
  return covered.flatMap(({ row, service, device }) => {
    const { sides } = row;
    const missing = [
      ...(service.length === 0 && (sides === "both" || sides.only === "service")
        ? ["service"]
        : []),
      ...(device.length === 0 && (sides === "both" || sides.only === "device") ? ["device"] : []),
    ];
    return missing.map(
      (side) => `${row.document} §${row.section} ${row.row}: no test of the ${side}`,
    );
  });
}

function cell(row: Row, tests: readonly NamedTest[]): string {
  const [first] = tests;
  if (!first) return row.sides === "both" ? "" : `(${row.sides.because})`;
  const name = first.name.split(" > ").at(-1)!.replaceAll("|", "\\|").replaceAll("<", "&lt;");
  const file = first.file.replace(/^test\//, "");
  const more = tests.length > 1 ? ` and ${tests.length - 1} more` : "";
  return `[${name}](${file})${more}`;
}

/** The table as Markdown. */
export function markdown(covered: readonly Covered[]): string {
  const lines = [
    "# What the documents say, and the tests that prove it",
    "",
    "Made by `npm run coverage:table` from the tests' names; do not edit. A row that concerns one side only",
    "says why.",
  ];
  for (const [document, title] of Object.entries(documents)) {
    lines.push(
      "",
      `## ${title}`,
      "",
      "| § | row | service | device |",
      "| --- | --- | --- | --- |",
    );
    for (const { row, service, device } of covered) {
      if (row.document !== document) continue;
      const cells = [cell(row, service), cell(row, device)];
      lines.push(`| ${row.section} | ${row.row} | ${cells.join(" | ")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}
