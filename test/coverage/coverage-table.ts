// The table of the documents' rows and the tests that guard them, made from the references in the tests' names.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { referencesOf } from "./references.ts";
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

export function cover(tests: readonly NamedTest[]): Covered[] {
  const testsOf = new Map<Row, NamedTest[]>(documentRows.map((row) => [row, []]));
  for (const test of tests) {
    for (const row of referencesOf(test.name).rows) testsOf.get(row)!.push(test);
  }
  return documentRows.map((row) => {
    const found = testsOf.get(row)!;
    const of = (folder: string) => found.filter(({ file }) => file.startsWith(`test/${folder}/`));
    return { row, service: of("service"), device: of("core") };
  });
}

/** One line for each reference to a row that does not exist. */
export function mistakes(tests: readonly NamedTest[]): string[] {
  return tests.flatMap(({ name, file }) =>
    referencesOf(name).wrong.map((reference) => `${file}: no such row: ${reference}`),
  );
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
    "Made by `npm run generate` from the tests' names; do not edit. A test names the row that it guards:",
    "`device doc §2.1 row interval: ...`, where the device doc and the offer doc are the two descriptions below. A row",
    "that concerns one side only says why. The documents are the [two service",
    "descriptions](../targets/docs/two-services.md).",
  ];
  for (const [document, { title, page }] of Object.entries(documents)) {
    lines.push(
      "",
      `## ${title}`,
      "",
      `The ${document}: [what it asks for](${page}).`,
      "",
      "| § | row | service | device |",
      "| --- | --- | --- | --- |",
    );
    for (const { row, service, device } of covered) {
      if (row.document !== document) continue;
      const cells = [cell(row, service), cell(row, device)];
      const name = row.says === "" ? row.row : `${row.row}: ${row.says}`;
      lines.push(`| ${row.section} | ${name} | ${cells.join(" | ")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}
