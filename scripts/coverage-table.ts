// npm run coverage:table: writes test/COVERAGE.md, and fails where a row of the documents has no test.

import { writeFileSync } from "node:fs";
import { cover, gaps, markdown, namedTests } from "../test/coverage/table.ts";

import { commandLine } from "./command-line.ts";

const file = "test/COVERAGE.md";

async function main(): Promise<number> {
  const covered = cover(await namedTests());
  const missing = gaps(covered);
  for (const gap of missing) console.error(gap);
  if (missing.length > 0) return 1;
  writeFileSync(new URL(`../${file}`, import.meta.url), markdown(covered));
  console.log(`${file}: ${covered.length} rows`);
  return 0;
}

commandLine(
  "coverage:table",
  "Writes test/COVERAGE.md; exit code 1 where a row of the documents has no test.",
).parse();
process.exitCode = await main();
