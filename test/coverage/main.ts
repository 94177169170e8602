// npm run tool -- coverage: prints the rows of the documents and the sections of the RFCs with their tests, and fails
// where one has no test, or a test names one that does not exist.

import { commandLine } from "../../targets/workbench/script-options.ts";
import { cover, coverStandards, gaps, listOf, mistakes, namedTests } from "./coverage-table.ts";

commandLine(
  "coverage",
  "Prints the documents' rows and their tests; exit code 1 where a row has none, or a test names no row.",
).parse();
const tests = await namedTests();
const covered = cover(tests);
const sections = coverStandards(tests);
for (const line of listOf(covered, sections)) console.log(line);
const wrong = [...mistakes(tests), ...gaps(covered), ...gaps(sections)];
for (const line of wrong) console.error(line);
process.exitCode = wrong.length > 0 ? 1 : 0;
