// npm run tool -- peers: what a user would pick instead, on the same server in the same run. Prints the tables; --sizes
// only those of sizes and counts. --write writes them into targets/bundle/PEERS.md. Not unasked: what a poll allocates
// varies by some bytes from run to run.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { shippedClients, used } from "../targets/workbench/peers/bundles.ts";
import { type Client, clients } from "../targets/workbench/peers/clients.ts";
import { judge, type Outcome, scenarios } from "../targets/workbench/peers/compared-sign-ins.ts";
import { FIVE_LINES } from "../targets/workbench/peers/five-lines.ts";
import { type Amount, installedPackages } from "../targets/workbench/peers/installed.ts";
import { ScriptedServer } from "../targets/workbench/peers/scripted-server.ts";
import { markdownTable, printTable } from "../targets/workbench/print-table.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const file = fileURLToPath(new URL("../targets/bundle/PEERS.md", import.meta.url));
const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string };
const child = fileURLToPath(new URL("../targets/workbench/peers/poll-memory.ts", import.meta.url));
const run = promisify(execFile);

const amount = ({ files, bytes }: Amount): string =>
  `${files} files, ${Math.ceil(bytes / 1000)} KB`;

async function installs(): Promise<string[][]> {
  const rows = (await installedPackages(used)).map(({ name, own, others, all, loaded }) => [
    name,
    amount(own),
    others.length === 0
      ? "none"
      : others.length > 3
        ? `${others.length} packages`
        : others.join(" "),
    amount(all),
    loaded === undefined ? "-" : `${loaded}`,
  ]);
  return [["package", "its own", "installed with it", "in all", "a sign-in loads B"], ...rows];
}

async function sizes(): Promise<string[][]> {
  const head = [
    "client",
    "min B",
    "gzip B",
    "QuickJS heap on load B",
    "loads there",
    "names missing",
  ];
  const rows = (await shippedClients()).map((client) => [
    client.name,
    `${client.min}`,
    `${client.gzip}`,
    `${client.heap}`,
    client.loads ? "yes" : "no",
    client.missing.join(" ") || "none",
  ]);
  return [head, ...rows];
}

/** Bytes per pending poll, measured in a process of its own. */
async function pollBytes(name: string, base: string): Promise<number> {
  const semiSpace = ["--max-semi-space-size=256", "--min-semi-space-size=256"];
  const flags = ["--import", "tsx", "--expose-gc", ...semiSpace];
  const { stdout } = await run(process.execPath, [...flags, child, name, base]);
  return (JSON.parse(stdout) as { bytes: number }).bytes;
}

async function memory(): Promise<string[][]> {
  const code = { device_code: "d", user_code: "U", verification_uri: "http://x.y", interval: 5 };
  const server = new ScriptedServer(({ path }) => {
    if (path === "/device") return { body: { ...code, expires_in: 9_000_000 } };
    return { status: 428, body: { error: "authorization_pending", error_description: "x" } };
  });
  const base = await server.listen();
  try {
    const answerBytes = await pollBytes("answer", "");
    const rows: string[][] = [];
    for (const { name } of clients) {
      const alone = await pollBytes(name, "");
      const withFetch = await pollBytes(name, base);
      // Its core takes bytes: no Response is made for it.
      const own = name === "picogrant" ? alone : alone - answerBytes;
      // A few bytes either way are the noise of asking.
      rows.push([name, `${Math.max(0, own)}`, `${withFetch}`]);
    }
    return [["client", "own B", "with its HTTP B"], ...rows];
  } finally {
    await server.close();
  }
}

function cell({ verdict, why }: Outcome): string {
  return why ? `${verdict}: ${why.replaceAll("|", "/").replace(/[<>]/g, "")}` : verdict;
}

async function hostile(): Promise<{ short: string[][]; full: string[][] }> {
  const head = ["scenario", ...clients.map(({ name }) => name)];
  const short = [head];
  const full = [head];
  for (const scenario of scenarios) {
    const outcomes: Outcome[] = [];
    for (const client of clients as readonly Client[]) outcomes.push(await judge(client, scenario));
    short.push([scenario.name, ...outcomes.map(({ verdict }) => verdict)]);
    full.push([scenario.name, ...outcomes.map(cell)]);
  }
  return { short, full };
}

function page(
  install: string[][],
  size: string[][],
  bytes: string[][],
  scenario: string[][],
): string {
  return `# Beside other clients

Made by \`npm run tool -- peers --write\`; do not edit. picogrant ${version}, Node ${process.versions.node.split(".")[0]}, one server and one run for all.

## What an installer gets

As npm unpacks it. The last column is what a program on Node loads that only signs in, bundled and minified; what is
loaded when it is used (QR codes, seals, profiles) is not in it. picogrant-tools and picogrant-firmware go into no such
program.

${markdownTable(install)}
## What they cost to ship and to load

Each bundled for code, poll, refresh and revocation. The heap is QuickJS's (32-bit pointers) after loading
the minified source, with empty stand-ins for the names that QuickJS does not have.

${markdownTable(size)}
## What one pending poll allocates in V8

Gross bytes of a poll and its answer, over 100 of them without a garbage collection, after warming up, the
median of five rounds. "own" leaves the network out: the answer is there at once, and what making it
allocates is taken off.

${markdownTable(bytes)}
${FIVE_LINES}
## How they come through

"completes": the token arrives and no poll came early. "starts over": the user has to enter a new code.
"fails cleanly": it gives up with an error that says why. "breaks": anything else. Each client is driven by
the loop of its own documentation; timers run a hundred times faster.

${markdownTable(scenario)}`;
}

/** Into a pipe, too: it takes a minute until the first table is there. */
function tell(what: string): void {
  process.stderr.write(`peers: ${what}\n`);
}

const program = commandLine("peers", "Compares with other clients, in the same run.")
  .option("--sizes", "only sizes and counts, and no page")
  .option("--write", "write the tables into targets/bundle/PEERS.md")
  .parse();
const { sizes: onlySizes, write } = program.opts<{ sizes?: boolean; write?: boolean }>();
tell("making what npm publishes");
for (const words of [["build"], ["tool", "--", "package"]])
  await run("npm", ["run", "-s", ...words]);
const install = await installs();
printTable(install);
console.log("");
tell("bundling the clients and loading each on QuickJS");
const size = await sizes();
printTable(size);
if (onlySizes) process.exit();
console.log("");
tell("what a pending poll allocates, client by client");
const bytes = await memory();
printTable(bytes);
console.log("");
tell("scenarios, client by client");
const { short, full } = await hostile();
printTable(short);
if (write) writeFileSync(file, page(install, size, bytes, full));
const ours = short.slice(1).filter((row) => row[1] !== "completes");
for (const row of ours) console.error(`picogrant does not complete: ${row[0]}: ${row[1]}`);
process.exitCode = ours.length > 0 ? 1 : 0;
