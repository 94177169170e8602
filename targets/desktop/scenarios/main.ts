// npm run scenarios: plays all scenarios, or the named ones, and says which held. Exit code 1 where an
// expectation was not met, 2 where there is no such scenario.
import { UsageError } from "../usage-error.ts";
import { findScenario, scenarioNames } from "./library.ts";
import { play, sideBySide } from "./player.ts";

async function main(names: readonly string[]): Promise<number> {
  let failures = 0;
  for (const scenario of names.map(findScenario)) {
    const { unmet, expectations, simulatedMs } = await play(scenario);
    const minutes = Math.round(simulatedMs / 60_000);
    if (unmet === undefined) {
      console.log(`ok    ${scenario.name}: ${expectations} expectations in ${minutes} min`);
      continue;
    }
    failures++;
    console.log(`FAIL  ${scenario.name}, line ${unmet.line.number}: ${unmet.line.text}`);
    console.log(sideBySide(unmet));
  }
  console.log(failures ? `${failures} of ${names.length} failed` : `all ${names.length} held`);
  return failures ? 1 : 0;
}

const given = process.argv.slice(2);
if (given.includes("--help")) {
  console.log("npm run scenarios -- [NAME ...]   plays these scenarios or all; names:");
  console.log(`  ${scenarioNames().join("\n  ")}`);
} else {
  try {
    process.exitCode = await main(given.length > 0 ? given : scenarioNames());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`scenarios: ${error.message}`);
    process.exitCode = 2;
  }
}
