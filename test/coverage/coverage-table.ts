// Finds the tests of each requirement by the references in their names.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Requirement, referencesIn, requirements, unknownReferences } from "./requirements.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface NamedTest {
  /** Names of the groups and of the test, outermost first, joined by ` > `. */
  readonly name: string;
  readonly file: string;
}

export interface Covered {
  readonly requirement: Requirement;
  readonly service: readonly NamedTest[];
  readonly device: readonly NamedTest[];
}

/** The folders with the tests of each side. Some behaviour of the device is tested with its host. */
const folders = { service: ["test/service"], device: ["test/core", "test/platform"] };
const sides = ["service", "device"] as const;

/** Lists the names of all tests of service and device, without running them. */
export async function namedTests(): Promise<NamedTest[]> {
  const folder = await mkdtemp(join(tmpdir(), "picogrant-names-"));
  try {
    const file = join(folder, "names.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    // No test runs, so the files can share a process. That saves a third of the time.
    const options = ["--config", "test/vitest.config.ts", "--isolate=false", `--json=${file}`];
    const args = [vitest, "list", ...options, ...Object.values(folders).flat()];
    await promisify(execFile)(process.execPath, args, { cwd: root });
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
  const references = tests.map(({ name }) => referencesIn(name));
  return requirements.map((requirement) => {
    const found = tests.filter((_, at) => references[at]!.includes(requirement.name));
    const of = (side: keyof typeof folders) =>
      found.filter(({ file }) => folders[side].some((folder) => file.startsWith(`${folder}/`)));
    return { requirement, service: of("service"), device: of("device") };
  });
}

/** References to requirements that are not listed, one line each. */
export function mistakes(tests: readonly NamedTest[]): string[] {
  return tests.flatMap(({ name, file }) =>
    unknownReferences(name).map((one) => `${file}: no line in coverage/requirements.ts: ${one}`),
  );
}

/** Requirements without a test on a side that they concern, one line each. */
export function gaps(covered: readonly Covered[]): string[] {
  return covered.flatMap(({ requirement, ...tests }) => {
    const { name, sides: its } = requirement;
    const missing = sides.filter(
      (side) => tests[side].length === 0 && (its === "both" || its.only === side),
    );
    return missing.map((side) => `${name}: no test of the ${side}`);
  });
}

export function listOf(covered: readonly Covered[]): string[] {
  const testsOf = ({ requirement, ...tests }: Covered): string[] =>
    sides.flatMap((side) => {
      const [first, ...others] = tests[side];
      const { sides: its } = requirement;
      if (!first) return its === "both" ? [] : [`  ${side}: none, since ${its.because}`];
      const more = others.length > 0 ? ` and ${others.length} more` : "";
      return [`  ${side}: ${first.name.split(" > ").at(-1)!} (${first.file})${more}`];
    });
  return covered.flatMap((one, at) => {
    const { source, name, description } = one.requirement;
    return [
      ...(covered[at - 1]?.requirement.source === source ? [] : [`== ${source}`]),
      description === "" ? name : `${name}: ${description}`,
      ...testsOf(one),
    ];
  });
}
