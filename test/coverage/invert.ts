// npm run tool -- expectations: inverts every expectation of every test that guards a row of COVERAGE, one after the other,
// and demands that the test fails.

import { commandLine } from "../../targets/workbench/script-options.ts";
import { namingFolders } from "./coverage-table.ts";
import { faultsOf, verdictsOn } from "./expectations.ts";

const { args } = commandLine(
  "expectations",
  "Inverts each expectation of the tests that guard a row; exit code 1 where such a test does not fail.",
)
  .argument("[files...]", "tests, or folders of them", namingFolders)
  .parse();
const files = args.length > 0 ? args : namingFolders;
const found = verdictsOn(files, "inherit");
const wrong = found.flatMap(faultsOf);
for (const line of wrong) console.error(line);
const inverted = found.reduce((sum, { sites }) => sum + sites.length, 0);
console.log(
  `${found.length} tests that guard a row, ${inverted} expectations inverted, ${wrong.length} faults`,
);
process.exitCode = wrong.length > 0 ? 1 : 0;
