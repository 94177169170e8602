// npm run tool -- peers: what a user would pick instead, on the same server in the same run. Prints the tables; --write
// writes them into targets/bundle/PEERS.md.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { clients } from "../targets/workbench/peers/clients.ts";
import { judge, scenarios } from "../targets/workbench/peers/compared-sign-ins.ts";
import { packageTable, shippedTable } from "../targets/workbench/peers/costs.ts";
import { commandLine, markdownTable, printTable } from "../targets/workbench/script-options.ts";

const file = fileURLToPath(new URL("../targets/bundle/PEERS.md", import.meta.url));
const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string };

async function scenarioTable(): Promise<string[][]> {
  const rows = [["scenario", ...clients.map(({ name }) => name)]];
  for (const scenario of scenarios) {
    const row = [scenario.name];
    for (const client of clients) {
      const { verdict, why } = await judge(client, scenario);
      row.push(why ? `${verdict}: ${why.replaceAll("|", "/").replace(/[<>]/g, "")}` : verdict);
    }
    rows.push(row);
  }
  return rows;
}

/** Puts a text between its marks on the page. */
function put(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`];
  const from = page.indexOf(begin) + begin.length;
  return `${page.slice(0, from)}\n${text}\n${page.slice(page.indexOf(end, from))}`;
}

const { write } = commandLine("peers", "Compares with other clients, in the same run.")
  .option("--write", "write the tables into targets/bundle/PEERS.md")
  .parse()
  .opts<{ write?: boolean }>();
for (const words of [["build"], ["tool", "--", "package"]])
  execFileSync("npm", ["run", "-s", ...words], { stdio: ["ignore", "ignore", "inherit"] });
const tables: [string, () => Promise<string[][]>][] = [
  ["packages", packageTable],
  ["sizes", shippedTable],
  ["scenarios", scenarioTable],
];
const node = process.versions.node.split(".")[0];
let page = put(readFileSync(file, "utf8"), "made", `picogrant ${version}, Node ${node}.\n`);
let failed: string[][] = [];
for (const [name, make] of tables) {
  const rows = await make();
  printTable(rows);
  console.log("");
  page = put(page, name, markdownTable(rows));
  if (name === "scenarios") failed = rows.slice(1).filter((row) => row[1] !== "completes");
}
if (write) writeFileSync(file, page);
for (const row of failed) console.error(`picogrant does not complete: ${row[0]}: ${row[1]}`);
process.exitCode = failed.length > 0 ? 1 : 0;
