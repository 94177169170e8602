// npm run tool -- scenarios: plays all scenarios, or the named ones, and says which held. Exit code 1 where an
// expectation was not met, 2 where there is no such scenario.
import { Command } from "commander";
import { UsageError } from "../command-line.ts";
import { findScenario, play, scenarioNames } from "./play.ts";
import { sideBySide } from "./player.ts";

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

const program = new Command("npm run tool -- scenarios")
  .description("Plays these scenarios or all; exit code 1 where an expectation was not met.")
  .argument("[names...]", "scenarios, or files of your own")
  .addHelpText("after", `\nScenarios:\n  ${scenarioNames().join("\n  ")}`)
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "scenarios: ")) })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

try {
  const names = program.args;
  process.exitCode = await main(names.length > 0 ? names : scenarioNames());
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`scenarios: ${error.message}`);
  process.exitCode = 2;
}
