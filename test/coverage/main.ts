// npm run tool -- coverage: prints the rows of the specifications and the sections of the RFCs with their tests. Fails
// if one has no test, or if a test names one that is not listed.

import { commandLine } from "../../targets/workbench/script-options.ts";
import { cover, gaps, listOf, mistakes, namedTests } from "./coverage-table.ts";

commandLine(
  "coverage",
  "Prints the rows of the specifications and their tests; exit code 1 if a row has no test, or if a test names an unknown row.",
).parse();
const tests = await namedTests();
const covered = cover(tests);
for (const line of listOf(covered)) console.log(line);
const wrong = [...mistakes(tests), ...gaps(covered)];
for (const line of wrong) console.error(line);
process.exitCode = wrong.length > 0 ? 1 : 0;
