// The table of the documents' rows and the tests that guard them, made from the references in the tests' names.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { referencesOf } from "./references.ts";
import { documentRows, documents, type Row, type Sides } from "./rows.ts";
import {
  namesSection,
  type Section,
  standardSections,
  standards,
  unknownSections,
} from "./standards.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface NamedTest {
  /** Names of the groups and of the test, outermost first, joined by ` > `. */
  readonly name: string;
  /** Path from the project's folder. */
  readonly file: string;
}

/** A row, or a section, with the tests of each side. */
export interface Covered<Of extends { readonly sides: Sides } = Row> {
  readonly row: Of;
  readonly service: readonly NamedTest[];
  readonly device: readonly NamedTest[];
}

/** Folders of the tests of each side. What a device does is proved in part where its host is. */
const folders = { service: ["test/service"], device: ["test/core", "test/platform"] };

/** The names of all tests of service and device; the tests are not run. */
export async function namedTests(): Promise<NamedTest[]> {
  const folder = await mkdtemp(join(tmpdir(), "picogrant-names-"));
  try {
    const file = join(folder, "names.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    // No test runs: files that need a process of their own share one here, which takes two thirds of the time.
    const options = ["--config", "test/vitest.config.ts", "--isolate=false", `--json=${file}`];
    await promisify(execFile)(
      process.execPath,
      [vitest, "list", ...options, ...Object.values(folders).flat()],
      {
        cwd: root,
      },
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
  return documentRows.map((row) => bySide(row, testsOf.get(row)!));
}

/** The same for the sections of the RFCs. */
export function coverStandards(tests: readonly NamedTest[]): Covered<Section>[] {
  return standardSections.map((row) =>
    bySide(
      row,
      tests.filter(({ name }) => namesSection(name, row)),
    ),
  );
}

function bySide<Of extends { readonly sides: Sides }>(
  row: Of,
  found: readonly NamedTest[],
): Covered<Of> {
  const of = (side: keyof typeof folders) =>
    found.filter(({ file }) => folders[side].some((folder) => file.startsWith(`${folder}/`)));
  return { row, service: of("service"), device: of("device") };
}

/** One line for each reference to a row that does not exist, or to a section of which there is no line. */
export function mistakes(tests: readonly NamedTest[]): string[] {
  return tests.flatMap(({ name, file }) => [
    ...referencesOf(name).wrong.map((reference) => `${file}: no such row: ${reference}`),
    ...unknownSections(name).map(
      (reference) => `${file}: no line in coverage/standards.ts: ${reference}`,
    ),
  ]);
}

/** One line for each row that has no test on a side that it concerns. */
export function gaps(covered: readonly Covered<Row | Section>[]): string[] {
  return covered.flatMap(({ row, service, device }) => {
    const { sides } = row;
    const missing = [
      ...(service.length === 0 && (sides === "both" || sides.only === "service")
        ? ["service"]
        : []),
      ...(device.length === 0 && (sides === "both" || sides.only === "device") ? ["device"] : []),
    ];
    const name =
      "rfc" in row
        ? `RFC ${row.rfc} §${row.section}`
        : `${row.document} §${row.section} ${row.row}`;
    return missing.map((side) => `${name}: no test of the ${side}`);
  });
}

function cell(row: { readonly sides: Sides }, tests: readonly NamedTest[]): string {
  const [first] = tests;
  if (!first) return row.sides === "both" ? "" : `(${row.sides.because})`;
  const name = first.name.split(" > ").at(-1)!.replaceAll("|", "\\|").replaceAll("<", "&lt;");
  const file = first.file.replace(/^test\//, "");
  const more = tests.length > 1 ? ` and ${tests.length - 1} more` : "";
  return `[${name}](${file})${more}`;
}

/** The table as Markdown. */
export function markdown(
  covered: readonly Covered[],
  sections: readonly Covered<Section>[],
): string {
  const lines = [
    "# What the documents say, and the tests that prove it",
    "",
    "Made by `npm run generate` from the tests' names; do not edit. A test names the row that it guards:",
    "`device doc §2.1 row interval: ...`, where the device doc and the offer doc are the two descriptions below. A row",
    "that concerns one side only says why. The documents are the [two service",
    "descriptions](../targets/docs/two-services.md). The sections of the RFCs follow, `RFC 8628 §3.5: ...` in a name.",
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
  for (const [rfc, title] of Object.entries(standards)) {
    lines.push(
      "",
      `## RFC ${rfc}: ${title}`,
      "",
      "| § | what it asks for | service | device |",
      "| --- | --- | --- | --- |",
    );
    for (const { row, service, device } of sections) {
      if (row.rfc !== rfc) continue;
      const link = `[${row.section}](https://www.rfc-editor.org/rfc/rfc${rfc}#section-${row.section})`;
      lines.push(`| ${link} | ${row.says} | ${cell(row, service)} | ${cell(row, device)} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}
