// Finds the tests of each row of the specifications and each section of the RFCs by the references in their names.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { documentRows, type Row, referencesOf, type Sides, specification } from "./rows.ts";
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
  readonly file: string;
}

export interface Covered<Of extends { readonly sides: Sides } = Row> {
  readonly row: Of;
  readonly service: readonly NamedTest[];
  readonly device: readonly NamedTest[];
}

/** The folders with the tests of each side. Some behaviour of the device is tested with its host. */
const folders = { service: ["test/service"], device: ["test/core", "test/platform"] };

/** Lists the names of all tests of service and device, without running them. */
export async function namedTests(): Promise<NamedTest[]> {
  const folder = await mkdtemp(join(tmpdir(), "picogrant-names-"));
  try {
    const file = join(folder, "names.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    // No test runs, so the files can share a process. That saves a third of the time.
    const options = ["--config", "test/vitest.config.ts", "--isolate=false", `--json=${file}`];
    await promisify(execFile)(
      process.execPath,
      [vitest, "list", ...options, ...Object.values(folders).flat()],
      {
        cwd: root,
      },
    );
    const found = JSON.parse(await readFile(file, "utf8")) as NamedTest[];
    // Vitest collects files in any order, but keeps the order within a file.
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

/** Like `cover`, for the sections of the RFCs. */
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

/** References to rows that do not exist, and to sections that standards.ts does not list, one line each. */
export function mistakes(tests: readonly NamedTest[]): string[] {
  return tests.flatMap(({ name, file }) => [
    ...referencesOf(name).wrong.map((reference) => `${file}: no such row: ${reference}`),
    ...unknownSections(name).map(
      (reference) => `${file}: no line in coverage/standards.ts: ${reference}`,
    ),
  ]);
}

/** Rows without a test on a side that they concern, one line each. */
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

function output(
  row: { readonly sides: Sides },
  side: string,
  tests: readonly NamedTest[],
): string[] {
  const [first] = tests;
  if (!first) return row.sides === "both" ? [] : [`  ${side}: none, since ${row.sides.because}`];
  const more = tests.length > 1 ? ` and ${tests.length - 1} more` : "";
  return [`  ${side}: ${first.name.split(" > ").at(-1)!} (${first.file})${more}`];
}

/** Prints each row of the two specifications and each section of the RFCs with its tests, as lines. */
export function listOf(
  covered: readonly Covered[],
  sections: readonly Covered<Section>[],
): string[] {
  const listed = (name: string, { row, service, device }: Covered | Covered<Section>): string[] => [
    row.description === "" ? name : `${name}: ${row.description}`,
    ...output(row, "service", service),
    ...output(row, "device", device),
  ];
  return [
    ...Object.entries(specification).flatMap(([document, title]) => [
      `== ${title}, the ${document}`,
      ...covered
        .filter(({ row }) => row.document === document)
        .flatMap((one) => listed(`§${one.row.section} ${one.row.row}`, one)),
    ]),
    ...Object.entries(standards).flatMap(([rfc, title]) => [
      `== RFC ${rfc}: ${title}`,
      ...sections
        .filter(({ row }) => row.rfc === rfc)
        .flatMap((one) => listed(`§${one.row.section}`, one)),
    ]),
  ];
}
