// npm run tool -- prove-c: proves with Frama-C's value analysis that no input causes undefined behaviour in the C
// host's parsers, within the bounds in the table. Each proof must also find its planted fault. `-- --only NAME`, `--
// --install` installs the Debian packages.

import { InstallError } from "../targets/workbench/engines/install.ts";
import { type Proof, proofNeeds, proofs, prove } from "../targets/workbench/host/proofs.ts";
import { ensurePackages } from "../targets/workbench/host/toolchain.ts";
import { carryOut, commandLine, printTable } from "../targets/workbench/script-options.ts";

const flags = commandLine(
  "prove-c",
  "Proves that parts of the host in C have no undefined behaviour.",
)
  .option("--only <name>", `one of: ${proofs.map(({ name }) => name).join(", ")}`)
  .option("--install", "install missing Debian packages first")
  .parse()
  .opts<{ only?: string; install?: boolean }>();

/** The alarms in the analyser's report. */
function complaints(report: string): string {
  return report.match(/\[eva:alarm\][^[]*/g)?.join("") ?? report;
}

async function rowOf(proof: Proof): Promise<{ cells: string[]; ok: boolean }> {
  console.error(`prove-c: ${proof.name} ...`);
  const { alarms, seconds, report } = await prove(proof);
  if (alarms > 0) console.error(complaints(report));
  const { text, fault } = proof.fault;
  console.error(`prove-c: ${proof.name} with "${text}" as "${fault}" ...`);
  const isAlive = (await prove(proof, proof.fault)).alarms > 0;
  if (!isAlive) console.error("prove-c: not found");
  const cells = [proof.functions.join(", "), proof.bound, `${alarms}`, seconds.toFixed(0)];
  return { cells, ok: alarms === 0 && isAlive };
}

await carryOut("prove-c", async () => {
  ensurePackages(proofNeeds, flags.install ?? false);
  const required = proofs.filter(({ name }) => flags.only === undefined || name === flags.only);
  if (required.length === 0) throw new InstallError(`--only ${flags.only}: there is no such proof`);
  const rows = await Promise.all(required.map(rowOf));
  const head = ["functions", "for every input of", "alarms", "seconds"];
  printTable([head, ...rows.map(({ cells }) => cells)]);
  return rows.every(({ ok }) => ok) ? 0 : 1;
});
