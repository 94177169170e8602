// npm run tool -- coverage, and npm run generate: writes test/COVERAGE.md, and fails where a row of the documents has
// no test, or a test names a row that does not exist.

import { writeFileSync } from "node:fs";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { cover, coverStandards, gaps, markdown, mistakes, namedTests } from "./coverage-table.ts";

const file = "test/COVERAGE.md";

async function main(): Promise<number> {
  const tests = await namedTests();
  const covered = cover(tests);
  const sections = coverStandards(tests);
  const wrong = [...mistakes(tests), ...gaps(covered), ...gaps(sections)];
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) return 1;
  writeFileSync(new URL(`../../${file}`, import.meta.url), markdown(covered, sections));
  console.log(`${file}: ${covered.length} rows, ${sections.length} sections of RFCs`);
  return 0;
}

commandLine(
  "coverage",
  "Writes test/COVERAGE.md; exit code 1 where a row of the documents has no test, or a test names none.",
).parse();
process.exitCode = await main();
